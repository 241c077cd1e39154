"""Stories computed again take the place of the old ones in one piece."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.service.running import (
    DAILY,
    ORIGIN,
    Rig,
    demo_articles,
    opened,
    other_method,
    pipeline,
    tell_all,
)
from tests.service.test_crashes import CrashError, Saboteur
from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.core.story import EventKind
from ustory.service.correct import Corrected
from ustory.service.retell import retell, slide_before
from ustory.service.slide_runner import SlideRunner
from ustory.service.verify import replay
from ustory.store import Store
from ustory.store.epochs import begin_epoch, current_epoch
from ustory.store.listing import story
from ustory.store.results import events_after, last_event
from ustory.store.slides import digest
from ustory.store.snapshots import slides_kept
from ustory.store.tables import articles, stories
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = demo_articles()[:80]
LOW, HIGH = -3.0, 1.5
"""What links are worth: fewer, or more of them."""


def again(store: Store, after: int = 0) -> Corrected | None:
    runner = SlideRunner(DAILY, TinyEncoder(), pipeline())
    return retell(store, runner, lambda: NOW, after=after)


def places(store: Store) -> dict[str, str | None]:
    with store.read() as connection:
        rows = connection.execute(select(articles.c.id, articles.c.story))
        return {row.id: row.story for row in rows}


def groups(placed: dict[str, str | None]) -> set[frozenset[str]]:
    """Return which articles are together, whatever their story is called."""
    found: dict[str, set[str]] = defaultdict(set)
    for article, name in placed.items():
        if name is not None:
            found[name].add(article)
    return {frozenset(some) for some in found.values()}


def test_the_same_method_finds_the_same_stories(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        before = places(store)
        with store.read() as connection:
            newest = last_event(connection)
            rows = connection.execute(select(stories).order_by(stories.c.id)).all()
        done = again(store)
        assert done is not None
        assert (done.moved, done.new, done.redirected) == (0, 0, 0)
        assert places(store) == before
        with store.read() as connection:
            (said,) = events_after(connection, newest)
            assert (said.kind, said.details["reason"]) == (
                EventKind.METHOD_CHANGED,
                "retold",
            )
            after = connection.execute(select(stories).order_by(stories.c.id)).all()
        assert after == rows
        assert check(store) == []


@pytest.mark.parametrize("base", [LOW, HIGH])
def test_another_method_gives_its_own_stories_under_the_ids_that_were_known(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: float
) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        before = places(store)
        with store.read() as connection:
            ledger = events_after(connection, 0, 10_000)
            had = set(connection.execute(select(stories.c.id)).scalars())
        other_method(monkeypatch, base)
        done = again(store)
        assert done is not None
        assert done.moved > 0
        assert check(store) == []
        after = places(store)
        with opened(str(tmp_path / "whole.db")) as whole:
            tell_all(whole, STREAM)
            assert groups(after) == groups(places(whole)), "as if it had always been so"
        assert done.kept > 0
        same = sum(before[a] == after[a] for a in before)
        assert same > len(before) / 2
        with store.read() as connection:
            assert events_after(connection, 0, 10_000)[: len(ledger)] == ledger
            for name in had:
                assert story(connection, name) is not None, "every id leads somewhere"
            epoch = current_epoch(connection)
            assert epoch is not None
            assert (epoch.reason, epoch.method) == ("retold", METHOD + 1)
            assert slides_kept(connection) == [epoch.slide]
        goes_on(store)


def goes_on(store: Store) -> None:
    """Read the rest of the stream, and verify all that was computed since."""
    rig = Rig(store)
    rig.intake.accept(demo_articles()[80:], ORIGIN, "rest")
    rig.loop.finish()
    assert check(store) == []
    verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
    assert verdict.problems == ()
    assert verdict.slides > 1


def test_a_service_goes_on_while_its_stories_are_computed_again(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM[:50], ORIGIN, "50")
        rig.loop.catch_up()
        slides = rig.loop.slide

        def meanwhile(number: int) -> None:
            if number == slides:  # the service finishes more before the end
                rig.intake.accept(STREAM[50:], ORIGIN, "80")
                rig.loop.catch_up()

        other_method(monkeypatch, HIGH)
        runner = SlideRunner(DAILY, TinyEncoder(), pipeline())
        done = retell(store, runner, lambda: NOW, progress=meanwhile)
        assert done is not None
        assert done.epoch.slide > slides
        assert rig.loop.slide == done.epoch.slide
        rig.intake.accept(demo_articles()[80:], ORIGIN, "rest")
        rig.loop.finish()
        assert check(store) == []
        inside = rig.loop.runner.engine.assignments(rig.loop.state)
        placed = places(store)
        assert {a: placed[a] for a in inside} == dict(inside)
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()


def test_articles_of_earlier_slides_stay_where_they_are(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = demo_articles()[0].published_at + timedelta(days=5)
    with opened(url) as store:
        tell_all(store, STREAM)
        before = places(store)
        other_method(monkeypatch, HIGH)
        after = slide_before(store, since)
        assert after > 1
        again(store, after)
        with store.read() as connection:
            early = select(articles.c.id).where(articles.c.slide <= after)
            ids = list(connection.execute(early).scalars())
        assert ids
        assert {a: before[a] for a in ids} == {a: places(store)[a] for a in ids}
        assert check(store) == []
        goes_on(store)


def test_nothing_is_computed_where_no_slide_is_done(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        Rig(store)
        assert again(store) is None


def test_a_withdrawal_meanwhile_ends_it_and_nothing_changes(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        tell_all(store, STREAM[:40])
        runner = SlideRunner(DAILY, TinyEncoder(), pipeline())
        begun = False

        def meanwhile(number: int) -> None:
            nonlocal begun
            if not begun:
                begun = True
                with store.write() as connection:
                    begin_epoch(
                        connection,
                        slide=number,
                        at=NOW,
                        reason="withdrawal",
                        method=METHOD,
                    )

        before = places(store)
        with pytest.raises(StateError, match="once more"):
            retell(store, runner, lambda: NOW, progress=meanwhile)
        assert places(store) == before


def test_a_crash_at_any_statement_leaves_the_old_stories_or_the_new(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url) as store:
        tell_all(store, STREAM[:30])
        with store.read() as connection:
            before = digest(connection)
        other_method(monkeypatch, HIGH)
        saboteur = Saboteur(store)
        crashes = 0
        while True:
            saboteur.arm(1 + 3 * crashes)
            try:
                done = again(store)
            except CrashError:
                crashes += 1
            else:
                saboteur.disarm()
                break
            saboteur.disarm()
            with store.read() as connection:
                assert digest(connection) == before
        assert done is not None
        assert crashes > 5
        assert check(store) == []
