"""A service begins, follows and ends its epochs as the archive says."""

from __future__ import annotations

from threading import Event as Signal

import pytest
from sqlalchemy import delete, update

from tests.service.running import (
    ORIGIN,
    START,
    Rig,
    demo_articles,
    opened,
    other_method,
    pipeline,
    tell_all,
)
from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.service.recovery import FORMAT
from ustory.service.verify import replay
from ustory.store.epochs import all_epochs, begin_epoch, current_epoch
from ustory.store.snapshots import put, slides_kept
from ustory.store.tables import epochs, snapshots
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder

STREAM = demo_articles()[:60]


def test_a_new_archive_is_one_epoch(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM[:20])
        Rig(store)
        with store.read() as connection:
            (epoch,) = all_epochs(connection)
        assert (epoch.number, epoch.slide, epoch.reason) == (1, 0, "begin")
        assert epoch.method == METHOD


def test_an_orderly_stop_leaves_the_state_of_the_last_slide(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM, ORIGIN, "60")
        for _ in range(2):
            rig.loop.step()  # more slides wait, so no state is written
        with store.read() as connection:
            assert rig.loop.slide not in slides_kept(connection)
        stop = Signal()
        stop.set()
        rig.loop.run(stop)
        with store.read() as connection:
            assert slides_kept(connection)[0] == rig.loop.slide == 2


def test_a_service_takes_over_what_another_process_made_of_its_archive(
    url: str,
) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM[:40], ORIGIN, "40")
        rig.loop.catch_up()
        slide = rig.loop.slide
        # as a withdrawal does: another state for the same slide, in an epoch of its own
        other = rig.loop.runner.engine.freeze(rig.loop.runner.engine.begin())
        with store.write() as connection:
            begin_epoch(
                connection, slide=slide, at=START, reason="withdrawal", method=METHOD
            )
            put(connection, slide, FORMAT, other, START)
        rig.intake.accept(STREAM[40:], ORIGIN, "60")
        assert rig.loop.step() is not None
        inside = rig.loop.state.records
        assert not {article.id for article in STREAM[:20]} & inside.keys()
        rig.loop.finish()
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()
        assert verdict.since == slide


@pytest.mark.parametrize("crashed", [False, True])
def test_another_method_begins_an_epoch_and_refuses_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch, crashed: bool
) -> None:
    with opened(url) as store:
        rig = tell_all(store, STREAM)
        slide = rig.loop.slide
        if crashed:  # slides were done after the snapshot that is left
            with store.write() as connection:
                newest = snapshots.c.slide > slide - 2
                connection.execute(delete(snapshots).where(newest))
        other_method(monkeypatch, 1.5)
        rig = Rig(store)
        assert rig.loop.slide == slide
        with store.read() as connection:
            epoch = current_epoch(connection)
        assert epoch is not None
        assert (epoch.reason, epoch.method, epoch.slide) == (
            "method",
            METHOD + 1,
            slide,
        )
        assert check(store) == []
        rig.intake.accept(demo_articles()[60:90], ORIGIN, "90")
        rig.loop.finish()
        assert check(store) == []
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()
        assert verdict.slides > 2


def test_a_replay_before_the_first_start_says_that_nothing_can_be_compared(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        tell_all(store, STREAM[:20])
        other_method(monkeypatch, 1.5)
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert (verdict.slides, verdict.problems) == (0, ())
        assert f"version {METHOD} of the method" in verdict.note


def test_an_archive_of_a_later_method_is_left_to_the_release_that_wrote_it(
    sqlite_url: str,
) -> None:
    with opened(sqlite_url) as store:
        tell_all(store, STREAM[:20])
        with store.write() as connection:
            connection.execute(update(epochs).values(method=99, version="9.9"))
        with pytest.raises(StateError, match=r"written by ustory 9\.9.*db restore"):
            Rig(store)
