"""Old files go by their own dates; a database that cannot do both says what to run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.service.running import DAILY, Rig, article
from ustory.core.errors import ConfigError
from ustory.service.time_basis import (
    TimeBasis,
    goes_by_articles,
    keep_time_basis,
    time_basis_of,
)
from ustory.sources.records.cursor import display_name
from ustory.store import Store
from ustory.store.feeds import put_cursor
from ustory.testing.parts import HandClock

NOW = datetime(2026, 11, 18, tzinfo=UTC)
WEEK = timedelta(days=7)
LINE = '{{"id": "{0}", "title": "Title of {0}", "date": "{1}"}}\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with an old file, a new one, an empty one, and some feeds."""
    monkeypatch.chdir(tmp_path)
    for name, dates in {
        "old": ["2024-03-07", "2024-04-08"],
        "new": ["2026-11-17"],
        "both": ["2026-01-01", "2026-11-17"],
        "empty": [],
        "old news": ["2023-01-01"],
    }.items():
        lines = [LINE.format(number, date) for number, date in enumerate(dates)]
        Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    Path("feeds.opml").write_text("<opml><body/></opml>", encoding="utf-8")


@pytest.fixture
def store() -> Iterator[Store]:
    """Return an empty store."""
    opened = Store.open("a.db")
    yield opened
    opened.close()


def _basis(store: Store, *sources: str) -> TimeBasis:
    return time_basis_of(store, sources, WEEK, NOW)


def _refused(store: Store, *sources: str) -> str:
    with pytest.raises(ConfigError) as refused:
        _basis(store, *sources)
    return str(refused.value)


def test_a_new_database_replays_an_old_file_and_says_so(store: Store) -> None:
    found = _basis(store, "old.jsonl", "empty.jsonl")
    assert found.by_articles
    assert found.words == (
        "old.jsonl is from 2024, older than the window of 7d: it is replayed by the "
        "dates of the articles"
    )


@pytest.mark.parametrize(
    "sources",
    [(), ("new.jsonl",), ("empty.jsonl",), ("feeds.opml",), ("-",), ("nowhere.jsonl",)],
)
def test_everything_else_goes_by_the_clock(
    store: Store, sources: tuple[str, ...]
) -> None:
    assert _basis(store, *sources) == TimeBasis(by_articles=False)


def test_a_file_that_goes_on_until_now_is_followed_and_what_is_older_is_named(
    store: Store,
) -> None:
    found = _basis(store, "both.jsonl")
    assert not found.by_articles
    assert found.words.startswith("both.jsonl begins before the window of 7d")
    assert "--as-of-articles" in found.words


@pytest.mark.parametrize(
    "other", ["feeds.opml", "https://a.example/rss", "-", "new.jsonl"]
)
def test_an_old_file_beside_news_of_now_stops_with_the_command_to_run(
    store: Store, other: str
) -> None:
    said = _refused(store, "old.jsonl", other)
    assert "`ustory serve old.jsonl --database old.db`" in said
    assert other in said


def test_the_command_can_be_copied_and_names_no_database_that_is_there(
    store: Store,
) -> None:
    Path("old news.db").touch()
    said = _refused(store, "old news.jsonl", "feeds.opml")
    assert "`ustory serve 'old news.jsonl' --database 'old news-2.db'`" in said


def test_an_old_file_does_not_come_into_a_database_of_other_news(store: Store) -> None:
    Rig(store, HandClock(NOW), DAILY).accept(article(0))
    said = _refused(store, "old.jsonl")
    assert "has other news already" in said
    assert "`ustory serve old.jsonl --database old.db`" in said


def test_a_file_that_was_read_before_goes_on_as_it_did(store: Store) -> None:
    Rig(store, HandClock(NOW), DAILY).accept(article(0))
    with store.write() as connection:
        put_cursor(connection, display_name("old.jsonl"), "{}", NOW)
    assert _basis(store, "old.jsonl") == TimeBasis(by_articles=False)


def test_the_choice_is_kept(store: Store) -> None:
    keep_time_basis(store, by_articles=False)
    assert not goes_by_articles(store)
    keep_time_basis(store, by_articles=True)
    store.close()
    again = Store.open("a.db")
    try:
        assert goes_by_articles(again)
        assert _basis(again, "new.jsonl").by_articles
        said = _refused(again, "old.jsonl", "feeds.opml")
    finally:
        again.close()
    assert "`ustory serve feeds.opml --database live.db`" in said
