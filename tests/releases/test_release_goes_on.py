"""Databases of every release go on in this one, and their stories keep their ids."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, select, update

from tests.releases.databases import SLIDE, found, rest, stream, waiting
from tests.releases.kept import OTHER_METHOD, Kept, name_of
from tests.service.running import ORIGIN, Rig, opened, pipeline
from ustory.core.method import METHOD
from ustory.core.story import EventKind
from ustory.service.settings import live_settings
from ustory.service.verify import replay
from ustory.store import Store
from ustory.store.epochs import all_epochs
from ustory.store.results import events_after, last_event
from ustory.store.slides import last_done
from ustory.store.snapshots import slides_kept
from ustory.store.tables import events, snapshots
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder


def rig_of(store: Store, kept: Kept) -> Rig:
    return Rig(store, settings=live_settings(slide=SLIDE, mode=kept.mode))


def last_slide(store: Store) -> int:
    with store.read() as connection:
        done = last_done(connection)
    assert done is not None
    return done.number


@pytest.mark.parametrize("kept", OTHER_METHOD, ids=name_of)
def test_a_database_of_a_release_goes_on_in_a_new_epoch(url: str, kept: Kept) -> None:
    with opened(url) as store:
        before, slide = found(store), last_slide(store)
        with store.read() as connection:
            newest = last_event(connection)
        rig = rig_of(store, kept)
        assert rig.loop.slide == slide
        with store.read() as connection:
            assert [(e.reason, e.slide, e.method) for e in all_epochs(connection)] == [
                ("begin", 0, kept.method),
                ("method", slide, METHOD),
            ]
            (said,) = events_after(connection, newest)
            assert (said.kind, said.story) == (EventKind.METHOD_CHANGED, "")
            assert (said.details["from"], said.details["to"]) == (
                kept.method,
                METHOD,
            )
            assert slides_kept(connection)[0] == slide
        assert check(store) == []
        after = found(store)
        assert after["articles"] == before["articles"]
        assert after["stories"] == before["stories"]
        assert rig_of(store, kept).loop.slide == slide
        with store.read() as connection:
            assert len(all_epochs(connection)) == 2, "a second start begins no epoch"


def test_stories_of_settled_articles_keep_their_ids(url: str, kept: Kept) -> None:
    with opened(url) as store:
        before = found(store)["articles"]
        rig = rig_of(store, kept)
        for first in range(0, len(rest()), 10):
            rig.intake.accept(rest()[first : first + 10], ORIGIN, str(first))
            rig.loop.catch_up()
        rig.loop.finish()
        after = found(store)["articles"]
        told = {article.id for article in [*stream(), *waiting(), *rest()]}
        assert after.keys() == told
        # what leaves the window while the rest is read was judged by the old method
        settled = [a for a in before if before[a] is not None and after[a] is not None]
        same = [a for a in settled if after[a] == before[a]]
        assert len(same) >= 0.9 * len(settled)
        assert check(store) == []
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()
        assert verdict.slides > 10


def test_slides_since_the_snapshot_are_computed_by_the_new_method(
    url: str, kept: Kept
) -> None:
    with opened(url) as store:
        before, slide = found(store), last_slide(store)
        with store.write() as connection:
            newest = snapshots.c.slide == slide
            connection.execute(delete(snapshots).where(newest))
        rig = rig_of(store, kept)
        assert rig.loop.slide == slide
        assert agrees(store, rig)
        assert check(store) == []
        after = found(store)
        # an article that waited may have a story under the new method
        settled = [a for a, story in before["articles"].items() if story is not None]
        same = [a for a in settled if before["articles"][a] == after["articles"][a]]
        assert len(same) >= 0.9 * len(settled)
        assert before["stories"].keys() <= after["stories"].keys()


def test_without_a_readable_snapshot_stories_are_computed_from_the_texts(
    url: str, kept: Kept
) -> None:
    with opened(url) as store:
        before, slide = found(store), last_slide(store)
        with store.write() as connection:
            connection.execute(update(snapshots).values(bytes=b"damaged"))
        rig = rig_of(store, kept)
        assert rig.loop.slide == slide
        assert agrees(store, rig)
        assert check(store) == []
        after = found(store)
        told = {a: s for a, s in before["articles"].items() if s is not None}
        same = [a for a in told if after["articles"][a] == told[a]]
        assert len(same) >= 0.9 * len(told)
        rig.intake.accept(rest(), ORIGIN, "rest")
        rig.loop.finish()
        assert check(store) == []


def agrees(store: Store, rig: Rig) -> bool:
    """Whether the engine has every article of the window where the archive has it."""
    places = found(store)["articles"]
    wrong = {
        article: (story, places[article])
        for article, story in rig.loop.runner.engine.assignments(rig.loop.state).items()
        if places[article] != story
    }
    assert wrong == {}
    with store.read() as connection:
        query = select(events.c.story).where(events.c.story != "").distinct()
        named = set(connection.execute(query).scalars())
    assert named <= found(store)["stories"].keys()
    return True
