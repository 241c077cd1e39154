"""State files are written whole or not at all."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.core.settings import Settings
from ustory.engine.snapshot.states import (
    freeze,
    from_plain,
    read_file,
    to_plain,
    write_state,
)
from ustory.engine.state import State

PAPER = Settings(mode="paper")
NOTE = {"note": "x"}
EMPTY = freeze(State(), PAPER, NOTE)


def write(path: Path, state: State | None = None) -> None:
    write_state(path, state or State(), PAPER, NOTE)


def test_a_file_is_read_back(tmp_path: Path) -> None:
    write(tmp_path / "news.state")

    state, settings, extra = read_file(tmp_path / "news.state")

    assert (state.end, settings, extra) == (None, Settings(mode="paper"), {"note": "x"})
    assert list(tmp_path.iterdir()) == [tmp_path / "news.state"]
    assert (tmp_path / "news.state").read_bytes() == EMPTY


@pytest.mark.parametrize(("place", "fails"), [(os, "fsync"), (Path, "replace")])
def test_a_failed_write_leaves_the_file_that_was_there(
    place: object, fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write(tmp_path / "news.state")
    monkeypatch.setattr(place, fails, full)

    with pytest.raises(StateError, match=r"cannot write .*news\.state: No space left"):
        write(tmp_path / "news.state", State(arrivals=3))

    assert (tmp_path / "news.state").read_bytes() == EMPTY
    assert list(tmp_path.iterdir()) == [tmp_path / "news.state"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="choose a folder that exists"):
        write(tmp_path / "nowhere" / "news.state")


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "news.state")

    write(tmp_path / "link")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "news.state").read_bytes() == EMPTY


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"cannot read .*news\.state: No such file"):
        read_file(tmp_path / "news.state")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "news.state").write_bytes(EMPTY[:-1])

    with pytest.raises(StateError, match=r"news\.state is damaged.*bring back a copy"):
        read_file(tmp_path / "news.state")


def test_an_article_goes_through_json() -> None:
    moment = datetime(2024, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
    full = Article(
        id="a1",
        published_at=moment.astimezone(timezone(timedelta(hours=2))),
        title="T",
        fetched_at=moment,
        authors=("A", "B"),
        lang="en",
    )

    for article in (full, Article(id="a2", published_at=moment, text="x")):
        assert from_plain(to_plain(article)) == article
