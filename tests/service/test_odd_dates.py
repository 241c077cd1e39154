"""An odd date costs a live service no story, and its article joins its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.engine.correcting import ALONE, CUP, QUAKE
from tests.service.running import (
    DAY,
    ORIGIN,
    START,
    Hand,
    Rig,
    article,
    kinds_in,
    opened,
    pipeline,
)
from ustory.core.article import Article
from ustory.service.clock import StreamClock
from ustory.service.verify import replay
from ustory.store import Store
from ustory.store.articles import article as stored
from ustory.store.feeds import add_feeds
from ustory.store.tables import ArticleRow, FeedRow
from ustory.testing import TinyEncoder

FEED = "https://news.example/feed"
NOW = START + timedelta(hours=37)
"""When the odd article comes in, on the second day."""
ODD = {
    "the zero of computers": datetime(1970, 1, 1, tzinfo=UTC),
    "1970": datetime(1970, 1, 2, tzinfo=UTC),
    "2099": datetime(2099, 3, 5, tzinfo=UTC),
    "a day ahead": NOW + DAY,
    "a year ahead": NOW.replace(year=2025),
    "a year behind": NOW.replace(year=2023),
    "no date": NOW,
    "midnight": START + DAY,
    "half a day ahead": NOW + DAY / 2,
    "half a day behind": NOW - DAY / 2,
}


def told(number: int, text: str, at: datetime) -> Article:
    return article(number, title=" ".join(text.split()[:8]), text=text, published_at=at)


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


DAY_ONE = [
    *(told(n, text, at(6 + n)) for n, text in enumerate(QUAKE[:3])),
    *(told(10 + n, text, at(10 + n)) for n, text in enumerate(CUP[:3])),
]
DAY_TWO = [told(20, CUP[3], at(36)), told(21, f"{QUAKE[1]} Tents came.", at(40))]
AFTER = [told(30, ALONE, at(50)), told(31, f"{CUP[3]} Again.", at(60))]


def row(store: Store, name: str) -> ArticleRow:
    with store.read() as connection:
        found = stored(connection, name)
    assert found is not None
    return found


def ran(store: Store, odd: Sequence[Article], *, live: bool) -> Rig:
    """Return a service that has told three days, the odd articles on the second."""
    clock = Hand(START) if live else StreamClock(ceiling=lambda: at(24 * 900))
    rig = Rig(store, clock)
    for each in [*DAY_ONE, DAY_TWO[0], *odd, DAY_TWO[1], *AFTER]:
        if live and each not in odd:
            rig.clock.time = each.published_at  # type: ignore[attr-defined]
        if live and each in odd:
            rig.clock.time = NOW  # type: ignore[attr-defined]
        rig.intake.accept([replace(each, fetched_at=NOW)] if live else [each], ORIGIN)
        rig.loop.catch_up()
    rig.loop.finish()
    return rig


@pytest.mark.parametrize("live", [True, False], ids=["live", "replayed"])
@pytest.mark.parametrize("name", ODD)
def test_an_odd_date_costs_no_story_and_its_article_joins_its_own(
    name: str, live: bool, sqlite_url: str
) -> None:
    with opened(sqlite_url) as store:
        text = f"{QUAKE[3]} Four people were pulled from a bakery at dawn."
        odd = told(50, text, ODD[name])

        rig = ran(store, [odd], live=live)

        quake, cup = row(store, "a0").story, row(store, "a10").story
        assert quake is not None
        assert cup is not None
        assert row(store, "a50").story == quake
        assert {row(store, f"a{n}").story for n in (0, 1, 2, 21)} == {quake}
        assert {row(store, f"a{n}").story for n in (10, 11, 12, 20, 31)} == {cup}
        assert set(kinds_in(store)) == {"born", "grew"}
        assert len(rig.loop.state.records) == 11
        problems = replay(store, encoder=TinyEncoder(), pipeline=pipeline()).problems
        assert problems == ()


def test_a_feed_whose_dates_are_all_of_1970_is_news_all_the_same(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START + DAY / 2))
        with store.write() as connection:
            add_feeds(connection, [FeedRow(url=FEED, added_at=START)])
        wrong = datetime(1970, 1, 2, tzinfo=UTC)
        entries = [
            replace(told(n, text, wrong), source="news.example")
            for n, text in enumerate([*QUAKE, *CUP])
        ]
        rig.intake.accept(entries, FEED)
        rig.loop.finish()

        assert {row(store, each.id).date_flag for each in entries} == {"old"}
        assert all(row(store, each.id).story for each in entries)


def test_an_archive_that_is_posted_does_not_become_news(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, Hand(START + DAY / 2))
        years = [
            article(n, published_at=datetime(2005, 1, 1 + n, tzinfo=UTC))
            for n in range(20)
        ]
        for each in years:
            rig.accept(each)
        rig.loop.finish()

        late = [each.id for each in years if row(store, each.id).how == "late"]
        assert len(late) == 17  # but for the first, which might have been slips


def test_dates_that_are_days_cost_no_story(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, StreamClock(ceiling=lambda: at(24 * 900)))
        for each in [*DAY_ONE, *DAY_TWO, *AFTER]:
            day = each.published_at.replace(hour=0)
            rig.accept(replace(each, published_at=day))
        rig.loop.finish()

        assert {row(store, f"a{n}").story for n in (0, 1, 2, 21)} == {
            row(store, "a0").story
        }
        assert set(kinds_in(store)) == {"born", "grew"}
