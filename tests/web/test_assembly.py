"""A service is put together as it was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.core.protocols import Arrival
from ustory.service.clock import StreamClock, WallClock, wall_time
from ustory.service.settings import Retention, keep_settings, live_settings
from ustory.store import Store
from ustory.store.feeds import all_feeds
from ustory.testing.parts import TinyEncoder
from ustory.web.assembly import SLIDE, DemoSource, Plan, assemble, settings_for
from ustory.web.keys import keys_of

START = datetime(2024, 3, 4, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    store = Store.open(str(tmp_path / "a.db"))
    yield store
    store.close()


class Days:
    """A source with an article a day."""

    name = "days"

    def __init__(self, days: int) -> None:
        self._days = days

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor."""
        for day in range(int(after or -1) + 1, self._days):
            moment = START + timedelta(days=day)
            yield Arrival(Article(id=str(day), published_at=moment), str(day))


def test_the_demo_gives_a_week_at_once_and_then_keeps_its_pace() -> None:
    waits: list[float] = []
    demo = DemoSource(10.0, waits.append, Days(10))

    given = [arrival.cursor for arrival in demo.read()]

    assert given == [str(day) for day in range(10)]
    assert waits == [10.0, 10.0]


def test_the_demo_goes_on_behind_its_cursor() -> None:
    waits: list[float] = []

    given = [a.cursor for a in DemoSource(10.0, waits.append, Days(10)).read("7")]

    assert given == ["8", "9"]


def test_lists_of_feeds_and_addresses_become_subscriptions(
    store: Store, tmp_path: Path
) -> None:
    opml = tmp_path / "feeds.OPML"
    opml.write_text(
        '<opml><body><outline xmlUrl="https://a.example/rss"/></body></opml>',
        encoding="utf-8",
    )
    news = tmp_path / "news.jsonl"
    news.touch()
    plan = Plan(sources=(str(opml), "https://b.example/", str(news)))

    assemble(store, plan, lambda name: TinyEncoder())

    with store.read() as connection:
        assert [row.url for row in all_feeds(connection)] == [
            "https://a.example/rss",
            "https://b.example/",
        ]


def test_feeds_that_are_named_are_read_from_then_on(store: Store) -> None:
    plan = Plan(sources=("https://a.example/rss", "https://a.example/rss"))

    for _ in range(2):
        assemble(store, plan, lambda name: TinyEncoder())

    with store.read() as connection:
        assert [row.url for row in all_feeds(connection)] == ["https://a.example/rss"]


def test_time_is_the_machines_unless_the_stream_is_old(store: Store) -> None:
    def clock(plan: Plan) -> object:
        return assemble(store, plan, lambda name: TinyEncoder()).clock

    assert isinstance(clock(Plan()), WallClock)
    assert isinstance(clock(Plan(demo=True)), StreamClock)
    assert isinstance(clock(Plan(by_articles=True)), StreamClock)


def test_a_new_database_has_the_defaults_and_an_old_one_its_own(store: Store) -> None:
    assert settings_for(store, Plan()) == live_settings()
    assert settings_for(store, Plan(demo=True)).slide == SLIDE

    keep_settings(store, live_settings(slide="1h"))

    assert settings_for(store, Plan()).slide == timedelta(hours=1)


def test_windows_by_number_are_refused(store: Store) -> None:
    with pytest.raises(ConfigError, match="goes by time"):
        settings_for(store, Plan(changes={"window": "700", "slide": "100"}))


def test_texts_that_the_window_needs_are_not_let_go(store: Store) -> None:
    with pytest.raises(ConfigError, match="longer than the window"):
        settings_for(store, Plan(retention=Retention(texts=timedelta(days=2))))


def test_a_key_is_made_once_and_only_its_digest_is_kept(
    store: Store, tmp_path: Path
) -> None:
    keys, made = keys_of(store, [], wall_time())
    later, again = keys_of(store, [], wall_time())

    assert made is not None
    assert keys.know(made)
    assert again is None
    assert later.know(made)
    store.close()
    assert made.encode() not in b"".join(
        file.read_bytes() for file in tmp_path.iterdir()
    )
