"""A full disk, a database that is gone, a damaged snapshot, a clock that jumps."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event as Signal
from threading import Thread

import pytest
from sqlalchemy import event, select, update

from tests.postgres import PostgresServer
from tests.service.running import (
    DAY,
    ORIGIN,
    START,
    Hand,
    Rig,
    article,
    demo_articles,
    ids_in,
    kinds_in,
    opened,
    outcome,
    pipeline,
    tell_all,
)
from ustory.core.errors import StateError
from ustory.service.clock import StreamClock, WallClock
from ustory.service.settings import live_settings
from ustory.service.verify import replay
from ustory.store import Store, Unavailable
from ustory.store.epochs import current_epoch
from ustory.store.problems import recent_problems
from ustory.store.results import events_after
from ustory.store.slides import last_done
from ustory.store.tables import articles, revisions, snapshots
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder

STREAM = demo_articles()[:40]


def expected(folder: Path) -> str:
    with opened(f"sqlite:///{folder}/expected.db") as store:
        tell_all(store, STREAM)
        return outcome(store)


def problems_of(store: Store) -> list[str]:
    with store.read() as connection:
        return [f"{p.kind}: {p.message}" for p in recent_problems(connection)]


@contextmanager
def pragma(store: Store, setting: str) -> Iterator[None]:
    """Have every connection of a SQLite database set something for a while."""

    def apply(connection: sqlite3.Connection, record: object) -> None:
        del record
        connection.execute(f"PRAGMA {setting}")

    event.listen(store.engine, "connect", apply)
    store.engine.dispose()
    yield
    event.remove(store.engine, "connect", apply)
    store.engine.dispose()


def pages_of(store: Store) -> int:
    with store.read() as connection:
        found: int = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    return found


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something that must happen soon."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@contextmanager
def running(rig: Rig) -> Iterator[None]:
    """Have the loop run in a thread of its own for a while."""
    stop = Signal()
    thread = Thread(target=rig.loop.run, args=(stop, 0.02))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_full_disk_loses_nothing_and_is_told_in_words(
    sqlite_url: str, tmp_path: Path
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM[:30], ORIGIN, "30")
        with pragma(store, f"max_page_count={pages_of(store)}"):
            with running(rig):
                until(lambda: rig.loop.status().problem is not None)
            assert "no room left on its disk" in (rig.loop.status().problem or "")
            with store.read() as connection:
                done = last_done(connection)
            # memory and database say the same, and the slide still waits
            assert rig.loop.slide == (0 if done is None else done.number)
            assert rig.intake.waiting() > 0
            with pytest.raises(Unavailable) as full:
                rig.accept(article(1, text="rain " * 100_000))
            assert full.value.reason == "full"
            assert ids_in(store) == [each.id for each in STREAM[:30]]
        with running(rig):
            rig.intake.accept(STREAM[30:], ORIGIN, "40")
            rig.intake.close_open()
            until(lambda: rig.intake.waiting() == 0)
            until(lambda: rig.loop.status().problem is None)
            until(lambda: problems_of(store) != [])
        assert outcome(store) == expected(tmp_path)
        assert problems_of(store)[0].startswith("database-full")


def test_a_database_that_is_gone_for_a_while_is_waited_for(
    postgres_url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    with opened(postgres_url) as store:
        rig = Rig(store)
        with running(rig):
            rig.intake.accept(STREAM[:20], ORIGIN, "20")
            until(lambda: rig.loop.slide >= 1)
            postgres.stop()
            try:
                with pytest.raises(Unavailable) as gone:
                    rig.intake.accept(STREAM[20:], ORIGIN, "40")
                assert gone.value.reason == "gone"
                until(lambda: rig.loop.status().problem is not None)
            finally:
                postgres.start()
            rig.intake.accept(STREAM[20:], ORIGIN, "40")
            until(lambda: rig.loop.status().problem is None)
        rig.loop.finish()
        assert outcome(store) == expected(tmp_path)
        rig.loop.problems.flush()
        assert any(said.startswith("database-gone") for said in problems_of(store))


HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(url: str) -> Iterator[None]:
    """Have another process hold a SQLite database for a while."""
    path = url.removeprefix("sqlite:///")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.communicate("")


def test_a_database_that_another_process_holds_is_waited_for(
    sqlite_url: str, tmp_path: Path
) -> None:
    with opened(sqlite_url) as store, pragma(store, "busy_timeout=50"):
        rig = Rig(store)
        rig.intake.accept(STREAM[:20], ORIGIN, "20")
        with running(rig):
            with held(sqlite_url):
                with pytest.raises(Unavailable, match="another writer") as busy:
                    rig.intake.accept(STREAM[20:], ORIGIN, "40")
                assert busy.value.reason == "busy"
            rig.intake.accept(STREAM[20:], ORIGIN, "40")
        rig.loop.finish()
        assert outcome(store) == expected(tmp_path)


def spoil(store: Store, newest: int) -> None:
    """Change a byte of the newest snapshots."""
    with store.write() as connection:
        query = select(snapshots).order_by(snapshots.c.slide.desc()).limit(newest)
        for row in connection.execute(query).all():
            half = len(row.bytes) // 2
            changed = row.bytes[:half] + bytes([row.bytes[half] ^ 1])
            connection.execute(
                update(snapshots)
                .where(snapshots.c.slide == row.slide)
                .values(bytes=changed + row.bytes[half + 1 :])
            )


@pytest.mark.parametrize("damaged", [1, 2, 3])
def test_a_damaged_snapshot_is_done_without(
    url: str, tmp_path: Path, damaged: int
) -> None:
    with opened(url) as store:
        rig = Rig(store)
        for first in range(0, 30, 5):
            rig.intake.accept(STREAM[first : first + 5], ORIGIN, str(first + 5))
            rig.loop.catch_up()
        state, before = rig.loop.state, outcome(store)
        spoil(store, damaged)
        rig = Rig(store)
        assert rig.loop.runner.engine.freeze(rig.loop.state) == (
            rig.loop.runner.engine.freeze(state)
        )
        assert outcome(store) == before
        rig.loop.problems.flush()
        assert len(problems_of(store)) == damaged
        assert "damaged" in problems_of(store)[0]
        rig.intake.accept(STREAM[30:], ORIGIN, "40")
        rig.loop.finish()
        assert outcome(store) == expected(tmp_path)


def test_without_snapshot_and_texts_articles_stay_in_their_stories(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        before = places_in(store)
        spoil(store, 3)
        with store.write() as connection:
            connection.execute(update(revisions).values(text=None))
            connection.execute(update(articles).values(text_kept=False))
        rig = Rig(store)
        assert rig.loop.state.records == {}
        assert places_in(store) == before
        assert last_epoch(store) == "repaired"
        assert check(store) == []
        rig.intake.accept(demo_articles()[40:60], ORIGIN, "60")
        rig.loop.finish()
        assert check(store) == []
        after = places_in(store)
        new = {s for a, s in after.items() if a not in before} - {None}
        assert not new & set(before.values()), "ids are never given twice"


def test_a_slide_that_comes_out_otherwise_is_corrected(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        before = places_in(store)
        with store.read() as connection:
            ledger = events_after(connection, 0, 10_000)
        spoil(store, 3)
        with store.write() as connection:
            connection.execute(
                update(revisions).where(revisions.c.seq == 3).values(text="Forged.")
            )
        rig = Rig(store)
        assert last_epoch(store) == "repaired"
        assert check(store) == []
        after = places_in(store)
        inside = rig.loop.runner.engine.assignments(rig.loop.state)
        assert {a: after[a] for a in inside} == inside
        assert sum(before[a] == after[a] for a in before) >= 0.9 * len(before)
        with store.read() as connection:
            assert events_after(connection, 0, 10_000)[: len(ledger)] == ledger
        assert Rig(store).loop.slide == rig.loop.slide
        assert last_epoch(store) == "repaired"
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()


def places_in(store: Store) -> dict[str, str | None]:
    with store.read() as connection:
        rows = connection.execute(select(articles.c.id, articles.c.story))
        return {row.id: row.story for row in rows}


def last_epoch(store: Store) -> str:
    with store.read() as connection:
        epoch = current_epoch(connection)
    assert epoch is not None
    return epoch.reason


def test_other_settings_than_those_of_the_database_are_refused(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        Rig(store)
        with pytest.raises(StateError, match="slide is 1d, not 6h"):
            Rig(store, settings=live_settings(slide=timedelta(hours=6)))


@pytest.mark.parametrize("days", [30, -30])
def test_a_clock_that_jumps_while_running_ends_no_slide(
    sqlite_url: str, days: int
) -> None:
    machine = Hand(START)
    steady = Hand(START)
    clock = WallClock(machine, lambda: (steady() - START).total_seconds())
    with opened(sqlite_url) as store:
        rig = Rig(store, clock)
        rig.accept(article(1), article(2))
        machine.move(days=days)
        assert rig.loop.step() is None
        [receipt] = rig.accept(article(3))
        assert receipt.slide == 1
        for each in (machine, steady):
            each.move(days=1)
        assert rig.loop.step() is not None
        rig.loop.problems.flush()
        [said] = problems_of(store)
        assert "jumped" in said
        assert "expired" not in kinds_in(store)


def test_a_clock_behind_the_database_is_refused_at_the_start(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        Rig(store, Hand(START + 10 * DAY)).accept(article(1))
        with pytest.raises(StateError, match=r"the clock says 2024-03-04T00:00Z.*set"):
            Rig(store, Hand(START))
        Rig(store, Hand(START + 10 * DAY - timedelta(minutes=30)))


def test_a_clock_a_little_behind_goes_on_with_the_last_slide(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        clock = Hand(START + timedelta(hours=23))
        rig = Rig(store, clock)
        rig.accept(article(1))
        clock.move(hours=1)
        assert rig.loop.catch_up() == 1
        rig = Rig(store, Hand(START + timedelta(hours=23, minutes=30)))
        [receipt] = rig.accept(article(2))
        assert receipt.slide == 2
        rig.loop.finish()
        assert rig.loop.state.end == START + DAY
        assert len(rig.loop.state.records) == 2


def test_a_forged_date_does_not_end_a_stream(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, StreamClock(ceiling=lambda: START + 30 * DAY))
        far = article(2, published_at=START + 3_000 * DAY)
        slides = [r.slide for r in rig.accept(article(1), far, article(3))]
        assert slides == [1, 1, 1]
