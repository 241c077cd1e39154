"""A service is put together as it was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from ustory.cli.main import cli
from ustory.cli.serve import serve
from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.core.protocols import Arrival
from ustory.service.clock import StreamClock, WallClock, wall_time
from ustory.service.demo import SLIDE, DemoSource, languages_demo
from ustory.service.settings import Retention, keep_settings, live_settings
from ustory.store import Store
from ustory.store.feeds import all_feeds
from ustory.testing.parts import TinyEncoder
from ustory.web.assembly import Plan, assemble, settings_for, time_basis
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


def test_the_demo_begins_in_its_middle_and_then_keeps_its_pace() -> None:
    waits: list[float] = []
    demo = DemoSource(10.0, waits.append, Days(10))

    given = [arrival.cursor for arrival in demo.read()]

    assert given == [str(day) for day in range(10)]
    assert waits == [10.0, 10.0]


def test_the_articles_of_a_day_of_the_demo_come_evenly() -> None:
    waits: list[float] = []
    demo = DemoSource(60.0, waits.append)

    given = [arrival.article for arrival in demo.read()]

    last = [a for a in given if a.published_at.day == 17]
    assert len(last) == 7
    assert waits[-7:] == [60.0 / 7] * 7
    assert sum(waits) == pytest.approx(6 * 60.0)
    assert max(waits) < 10.0, "something comes every few seconds"


def test_by_default_the_demo_plays_for_five_minutes() -> None:
    waits: list[float] = []
    list(DemoSource(Plan().pace, waits.append).read())
    assert sum(waits) == pytest.approx(300.0)

    [pace] = [each for each in serve.params if each.name == "pace"]
    assert pace.default == Plan().pace


def test_the_demo_says_how_far_it_is() -> None:
    demo = DemoSource(0.0, lambda _: None, Days(10))
    stages = [demo.progress]
    stages += [demo.progress for _ in demo.read()]
    stages.append(demo.progress)

    assert [each.day for each in stages] == [0, *range(1, 11), 10]
    assert {each.days for each in stages} == {10}
    assert [each.is_over for each in stages] == [False] * 11 + [True]


def test_the_demo_goes_on_behind_its_cursor() -> None:
    waits: list[float] = []

    given = [a.cursor for a in DemoSource(10.0, waits.append, Days(10)).read("7")]

    assert given == ["8", "9"]
    assert waits == [10.0, 10.0]


def test_the_demo_of_languages_begins_after_two_days() -> None:
    waits: list[float] = []
    demo = languages_demo(60.0, waits.append)

    given = [arrival.article for arrival in demo.read()]

    waited = [a for a in given if a.published_at.day >= 18]
    assert len(given) == 89
    assert len(waits) == len(waited)
    assert sum(waits) == pytest.approx(3 * 60.0)
    assert (demo.progress.days, demo.progress.is_over) == (5, True)


def test_each_demo_has_its_own_cursor() -> None:
    names = [play(0.0, lambda _: None).name for play in (DemoSource, languages_demo)]

    assert names == ["demo", "demo-languages"]


@pytest.mark.parametrize(("languages", "days"), [(False, 14), (True, 5)])
def test_the_service_plays_the_demo_of_the_plan(
    store: Store, languages: bool, days: int
) -> None:
    plan = Plan(demo=True, languages=languages)

    service = assemble(store, plan, lambda name: TinyEncoder())

    assert service.demo is not None
    assert service.demo().days == days


def test_languages_without_the_demo_are_refused() -> None:
    result = CliRunner().invoke(cli, ["serve", "--languages"])

    assert result.exit_code == 1
    assert "--languages goes with --demo" in result.output


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


def test_a_database_goes_on_by_what_it_was_begun(store: Store) -> None:
    assemble(store, Plan(by_articles=True), lambda name: TinyEncoder())

    again = assemble(store, Plan(), lambda name: TinyEncoder())

    assert isinstance(again.clock, StreamClock)
    assert time_basis(store, Plan()).by_articles


def test_who_says_so_goes_by_the_dates_of_articles_whatever_is_read(
    store: Store, tmp_path: Path
) -> None:
    live = tmp_path / "live.jsonl"
    live.write_text('{"id": "1", "title": "Now"}\n', encoding="utf-8")
    sources = (str(live), "https://a.example/rss")

    assert not time_basis(store, Plan(sources=sources)).by_articles
    assert time_basis(store, Plan(sources=sources, by_articles=True)).by_articles


def test_a_new_database_has_the_defaults_and_an_old_one_its_own(store: Store) -> None:
    assert settings_for(store, Plan()) == live_settings()
    assert settings_for(store, Plan(demo=True)).slide == SLIDE
    assert settings_for(store, Plan(by_articles=True)).slide == timedelta(days=1)
    given = Plan(by_articles=True, changes={"slide": "3h"})
    assert settings_for(store, given).slide == timedelta(hours=3)

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
