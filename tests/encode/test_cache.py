from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ustory.core.arrays import SentenceVectors
from ustory.core.errors import ConfigError
from ustory.encode.cache import CachedEncoder
from ustory.testing import TinyEncoder, check_encoder


class Counting(TinyEncoder):
    """Remembers what it was asked."""

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Take down the sentences, then encode them."""
        self.asked.extend(sentences)
        return super().encode(sentences)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "vectors.sqlite"


def test_a_cached_encoder_keeps_the_contract(path: Path) -> None:
    check_encoder(CachedEncoder(TinyEncoder(), path))


def test_what_was_said_is_not_asked_again_even_by_another_run(path: Path) -> None:
    first = CachedEncoder(Counting(), path).encode(["a storm", "the bank", "a storm"])
    inner = Counting()

    second = CachedEncoder(inner, path).encode(["the bank", "a storm", "new words"])

    assert inner.asked == ["new words"]
    np.testing.assert_array_equal(second[[1, 0, 1]], first)


def test_a_repeated_sentence_is_asked_once(path: Path) -> None:
    inner = Counting()

    CachedEncoder(inner, path).encode(["same", "same", "other"])

    assert inner.asked == ["same", "other"]


def test_encoders_do_not_share_vectors(path: Path) -> None:
    CachedEncoder(Counting("one"), path).encode(["a storm"])
    other = Counting("two")

    CachedEncoder(other, path).encode(["a storm"])

    assert other.asked == ["a storm"]


def test_it_passes_for_the_encoder_behind_it(path: Path) -> None:
    cached = CachedEncoder(TinyEncoder(), path)

    assert (cached.name, cached.dim) == ("tiny", 32)


def test_the_oldest_rows_go_first(path: Path) -> None:
    inner = Counting()
    cached = CachedEncoder(inner, path, max_rows=3)
    for sentence in ("one", "two", "three", "four", "five"):
        cached.encode([sentence])
    inner.asked.clear()

    cached.encode(["three", "four", "five"])
    assert inner.asked == []

    cached.encode(["two"])
    assert inner.asked == ["two"]
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (3,)
    database.close()


def test_many_sentences_at_once_are_all_found(path: Path) -> None:
    sentences = [f"word{n}" for n in range(1700)]
    inner = Counting()
    cached = CachedEncoder(inner, path)
    expected = cached.encode(sentences)
    inner.asked.clear()

    np.testing.assert_array_equal(cached.encode(sentences), expected)
    assert inner.asked == []


@pytest.mark.parametrize("junk", [b"not a database " * 100, b"SQLite format 3\0" * 99])
def test_a_damaged_file_is_set_aside_with_a_warning(
    path: Path, junk: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(junk)
    inner = Counting()

    with caplog.at_level(logging.WARNING, logger="ustory"):
        cached = CachedEncoder(inner, path)
        cached.encode(["a storm"])
        cached.encode(["a storm"])

    assert inner.asked == ["a storm"]
    assert path.with_name("vectors.sqlite.damaged").read_bytes() == junk
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "damaged" in caplog.text


def test_a_file_damaged_between_two_calls_costs_no_answer(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cached = CachedEncoder(TinyEncoder(), path)
    expected = cached.encode(["a storm"])
    path.write_bytes(b"overwritten by something else" * 50)

    np.testing.assert_array_equal(cached.encode(["a storm"]), expected)

    assert "damaged" in caplog.text


@pytest.mark.parametrize("blob", [b"", b"odd", b"\0" * 64, b"\xff" * 64])
def test_a_row_that_cannot_be_the_encoders_is_asked_again(
    path: Path, blob: bytes
) -> None:
    inner = Counting()
    cached = CachedEncoder(inner, path)
    expected = cached.encode(["a storm"])
    with sqlite3.connect(path) as database:
        database.execute("UPDATE vectors SET vector = ?", (blob,))
    database.close()

    np.testing.assert_array_equal(cached.encode(["a storm"]), expected)
    np.testing.assert_array_equal(cached.encode(["a storm"]), expected)
    assert inner.asked == ["a storm"] * 2


def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE holidays (day TEXT)")
    database.close()
    before = path.read_bytes()

    with pytest.raises(ConfigError, match="another program"):
        CachedEncoder(TinyEncoder(), path)

    assert path.read_bytes() == before


def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    for bad in (tmp_path, tmp_path / "file" / "vectors.sqlite"):
        with pytest.raises(ConfigError, match="cannot keep a cache"):
            CachedEncoder(TinyEncoder(), bad)


def test_a_cache_that_stops_working_does_not_stop_the_encoder(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cached = CachedEncoder(TinyEncoder(), path)
    path.unlink()
    path.mkdir()

    rows = cached.encode(["a storm"])

    np.testing.assert_array_equal(rows, TinyEncoder().encode(["a storm"]))
    assert "going on without the cache" in caplog.text


def test_a_cache_of_no_rows_is_refused(path: Path) -> None:
    with pytest.raises(ConfigError, match="max_rows = 0"):
        CachedEncoder(TinyEncoder(), path, max_rows=0)


def test_threads_can_share_it(path: Path) -> None:
    cached = CachedEncoder(TinyEncoder(), path)
    sentences = [[f"word {n}", f"word {n + 1}"] for n in range(20)]

    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(cached.encode, sentences))

    for asked, rows in zip(sentences, tables, strict=True):
        np.testing.assert_array_equal(rows, TinyEncoder().encode(asked))
