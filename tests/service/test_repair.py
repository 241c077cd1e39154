"""A start with a clock that is ahead does not brick an archive."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import event, select, update

from tests.service.running import DAILY, DAY, START, Hand, Rig, article, ids_in, opened
from ustory.core.errors import StateError
from ustory.service.loop import Loop
from ustory.store import Store
from ustory.store.articles import put_aside
from ustory.store.feeds import add_feeds
from ustory.store.problems import recent_problems
from ustory.store.tables import (
    AsideRow,
    Delivery,
    FeedRow,
    deliveries,
    epochs,
    events,
    feeds,
    set_aside,
    slides,
    stories,
)
from ustory.store.upkeep import check
from ustory.store.watchlists import put_deliveries
from ustory.testing import TinyEncoder

AHEAD = 700 * DAY


def wrongly_served(store: Store) -> list[str]:
    """Serve for two days, then with a clock that is ahead; return all articles."""
    clock = Hand(START + timedelta(hours=12))
    rig = Rig(store, clock)
    rig.accept(*(article(n) for n in range(1, 7)))
    clock.move(days=1)
    rig.loop.catch_up()
    wrong = Hand(START + 2 * DAY + AHEAD)
    rig = Rig(store, wrong)
    rig.loop.catch_up()
    rig.accept(*(article(n, published_at=START + 2 * DAY) for n in range(10, 13)))
    rig.accept(article(13, published_at=wrong.time))
    wrong.move(days=1)
    rig.loop.catch_up()
    rig.accept(article(14, published_at=START + 2 * DAY))  # waits in an open slide
    return ids_in(store)


def repaired(store: Store, now: Hand) -> Loop:
    loop = Loop(store, DAILY, TinyEncoder(), now)
    loop.repair_clock()
    return loop


def test_an_archive_goes_on_after_the_clock_was_ahead(url: str) -> None:
    with opened(url) as store:
        there = wrongly_served(store)
        now = Hand(START + 3 * DAY)
        with pytest.raises(StateError, match=r"ustory db repair --clock"):
            Rig(store, now)

        done = repaired(store, now)

        assert done.slide > 0
        rig = Rig(store, now)
        assert ids_in(store) == there
        rig.accept(*(article(n, published_at=now.time) for n in range(20, 23)))
        now.move(days=1)
        rig.loop.catch_up()
        assert len(rig.loop.state.records) >= 4
        assert rig.loop.state.stories
        assert check(store) == []
        again = Rig(store, now)
        assert set(again.loop.state.records) == set(rig.loop.state.records)
        with store.read() as connection:
            ends = connection.execute(select(slides.c.end)).scalars().all()
            dates = connection.execute(select(events.c.at)).scalars().all()
            seen = connection.execute(select(stories.c.last_seen)).scalars().all()
        assert max(ends) <= now.time + DAY
        assert max(dates) <= now.time
        assert max(seen) <= now.time


def test_a_repair_names_few_values_in_a_statement(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        wrongly_served(store)
        monkeypatch.setattr("ustory.store.mapping.CHUNK", 1)
        lengths: list[int] = []

        def note(_c: object, _u: object, statement: str, *_: object) -> None:
            lists = re.findall(r" IN \(([?, ]*)\)", statement)
            lengths.extend(each.count("?") for each in lists)

        with store.read() as connection:
            event.listen(connection.engine, "before_cursor_execute", note)
        loop = Loop(store, DAILY, TinyEncoder(), Hand(START + 3 * DAY))
        assert loop.repair_clock().slides > 1
        assert set(lengths) == {1}


def test_what_is_planned_for_soon_stays_planned(url: str) -> None:
    with opened(url) as store:
        wrongly_served(store)
        now = Hand(START + 3 * DAY)
        soon, far = now.time + timedelta(hours=2), now.time + AHEAD
        given = {"a": soon, "b": far}
        with store.write() as connection:
            rows = [
                FeedRow(url=f"https://{name}.example/", added_at=START, next_at=at)
                for name, at in given.items()
            ]
            add_feeds(connection, rows)
            planned = [
                Delivery(id=name, watchlist="w", match=1, url="", body={}, next_at=at)
                for name, at in given.items()
            ]
            put_deliveries(connection, planned)
        repaired(store, now)
        for table in (feeds, deliveries):
            column = table.c.next_at
            with store.read() as connection:
                found = connection.execute(select(column).order_by(column)).scalars()
                assert list(found) == [now.time, soon]


def test_what_was_set_aside_in_the_future_is_dated_back(url: str) -> None:
    with opened(url) as store:
        wrongly_served(store)
        now = Hand(START + 3 * DAY)
        row = AsideRow(
            article="a10",
            seq=7,
            slide=2,
            at=now.time + AHEAD,
            reason="r",
            by="me",
            left_out=False,
        )
        with store.write() as connection:
            put_aside(connection, [row])
            late = {"at": now.time + AHEAD}
            connection.execute(update(epochs).values(**late))
        repaired(store, now)
        with store.read() as connection:
            for column in (set_aside.c.at, epochs.c.at):
                dates = connection.execute(select(column)).scalars().all()
                assert dates
                assert max(dates) <= now.time


def test_events_keep_their_numbers_and_have_no_gap(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        wrongly_served(store)
        query = select(events.c.id, events.c.kind, events.c.story).order_by(events.c.id)
        with store.read() as connection:
            before = connection.execute(query).all()
        repaired(store, Hand(START + 3 * DAY))
        with store.read() as connection:
            after = connection.execute(query).all()
        assert after[: len(before)] == before
        assert [row.id for row in after] == list(range(1, len(after) + 1))


def test_an_archive_whose_clock_was_right_is_left_alone(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START + timedelta(hours=12))
        rig = Rig(store, clock)
        rig.accept(*(article(n) for n in range(1, 7)))
        clock.move(days=1)
        rig.loop.catch_up()
        done = Loop(store, DAILY, TinyEncoder(), clock).repair_clock()
        assert (done.slides, done.articles) == (0, 0)
        assert Rig(store, clock).loop.state.records


def test_a_start_long_after_the_last_slide_is_told(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START + timedelta(hours=12))
        rig = Rig(store, clock)
        rig.accept(article(1))
        rig = Rig(store, Hand(START + AHEAD))
        rig.loop.problems.flush()
        with store.read() as connection:
            [said] = recent_problems(connection)
        assert "if the clock is wrong" in said.message
