"""Streams are prepared once for each encoder, and found again."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engine.mutations import closed, opened

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.encode.load import load_encoder
from ustory.sources.demo import demo_stream
from ustory.text.fast import FastPipeline
from ustory.text.load import load_pipeline
from ustory_bench.runner.input_streams import (
    InputStream,
    input_streams,
    simulated_streams,
)
from ustory_bench.runner.prepared_streams import (
    Prepared,
    load_prepared,
    prepare_all,
)
from ustory_bench.runner.streams import read_stream


def prepared(
    given: list[InputStream], encoders: list[str], folder: Path
) -> tuple[dict[tuple[str, str], Prepared], list[str]]:
    told: list[str] = []
    return prepare_all(given, encoders, "fast", folder, told.append), told


def write(path: Path, stories: list[str | None]) -> str:
    records = [
        {"id": str(n), "title": f"News {n}", "published_at": "2024-03-04"}
        | ({} if story is None else {"story": story})
        for n, story in enumerate(stories)
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return str(path)


def test_a_prepared_stream_is_the_stream_and_is_not_prepared_again(
    tmp_path: Path,
) -> None:
    given = input_streams([str(demo_stream())])
    first, told = prepared(given, ["tiny"], tmp_path)
    again, told_again = prepared(given, ["tiny"], tmp_path)

    stream = load_prepared(again["stream", "tiny"].path)
    plain = read_stream(demo_stream(), load_pipeline("fast"), load_encoder("tiny"))

    assert told == ["preparing stream with tiny"]
    assert told_again == []
    assert first == again
    assert first["stream", "tiny"].about == {
        "sha256": plain.sha256,
        "articles": 122,
        "labelled": 122,
        "stories": 25,
        "dim": 32,
    }
    assert [one.article for one in stream.articles] == [
        one.article for one in plain.articles
    ]
    for one, other in zip(stream.articles, plain.articles, strict=True):
        assert one.sentences == other.sentences
        np.testing.assert_array_equal(one.vectors, other.vectors)


class Attack:
    """Makes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._path,)


def test_a_file_in_the_folder_is_data_and_never_run(tmp_path: Path) -> None:
    given = input_streams([str(demo_stream())])
    found, _ = prepared(given, ["tiny"], tmp_path)
    place = found["stream", "tiny"].path
    place.write_bytes(pickle.dumps(Attack(tmp_path / "ran")))

    with pytest.raises(ConfigError, match=r"is not a state file.*; remove the file"):
        load_prepared(place)

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "name",
    ["first.int32", "second.int32", "term.int32", "cells.int32", "sentence.int32"],
)
def test_a_kept_stream_whose_numbers_are_no_places_is_refused(
    name: str, tmp_path: Path
) -> None:
    found, _ = prepared(input_streams([str(demo_stream())]), ["tiny"], tmp_path)
    place = found["stream", "tiny"].path
    head, columns = opened(place.read_bytes())
    column = columns[f"state.rows.item.counts.{name}"].astype("int32")
    column[-1] = 2**31 - 1
    columns[f"state.rows.item.counts.{name}"] = column
    place.write_bytes(closed(head, columns))

    with pytest.raises(ConfigError, match="cannot use the prepared stream"):
        load_prepared(place)


def test_a_second_encoder_shares_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    splits: list[str] = []
    split = FastPipeline.split

    def noted(self: FastPipeline, article: Article) -> tuple[str, ...]:
        splits.append(article.id)
        return split(self, article)

    monkeypatch.setattr(FastPipeline, "split", noted)
    given = input_streams([str(demo_stream())])

    found, _ = prepared(given, ["tiny", "wordllama"], tmp_path)

    one, other = (load_prepared(each.path).articles for each in found.values())
    assert len(splits) == len(one) == len(other)
    assert one[5].sentences == other[5].sentences
    np.testing.assert_array_equal(one[5].counts.count, other[5].counts.count)
    assert one[5].vectors.shape[1] == 32
    assert other[5].vectors.shape[1] == 256


def test_other_data_is_prepared_anew(tmp_path: Path) -> None:
    path = tmp_path / "news.jsonl"
    given = input_streams([write(path, ["a", "b"])])
    first, _ = prepared(given, ["tiny"], tmp_path / "work")
    write(path, ["a", "b", "c"])

    second, told = prepared(given, ["tiny"], tmp_path / "work")

    assert told
    assert first["news", "tiny"].fingerprint != second["news", "tiny"].fingerprint
    assert second["news", "tiny"].about["stories"] == 3


def test_simulated_streams_are_labelled_and_not_the_same(tmp_path: Path) -> None:
    found, _ = prepared(simulated_streams(), ["tiny"], tmp_path)

    about = [each.about for each in found.values()]

    assert [each["articles"] for each in about] == [240, 240]
    assert about[0]["sha256"] != about[1]["sha256"]


@pytest.mark.parametrize(
    ("stories", "message"),
    [([None, None], "no true story"), (["a", "a"], "a single true story")],
)
def test_a_stream_without_two_stories_is_refused(
    stories: list[str | None], message: str, tmp_path: Path
) -> None:
    given = input_streams([write(tmp_path / "news.jsonl", stories)])

    with pytest.raises(ConfigError, match=message):
        prepared(given, ["tiny"], tmp_path / "work")


def test_streams_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="2 are named 'news'"):
        input_streams(["a/news.jsonl", "b/news.csv"])
    with pytest.raises(ConfigError, match="tuned on"):
        input_streams(["simulated-1.jsonl"])
    with pytest.raises(ConfigError, match="cannot read the stream"):
        prepared(input_streams([str(tmp_path / "none.jsonl")]), ["tiny"], tmp_path)
