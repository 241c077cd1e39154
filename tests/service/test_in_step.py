"""Memory and archive stay in step after interruptions, upgrades and wrong clocks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from sqlalchemy import delete, update

from tests.service.running import (
    DAILY,
    DAY,
    ORIGIN,
    START,
    Hand,
    Rig,
    article,
    demo_articles,
    ids_in,
    opened,
    tell_all,
)
from tests.service.test_poison import Panicky
from ustory.service.clock import StreamClock
from ustory.service.loop import Loop
from ustory.service.settings import Retention
from ustory.service.withdrawal import WithdrawalRule
from ustory.store.articles import all_aside
from ustory.store.tables import epochs, snapshots
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder

STREAM = demo_articles()[:60]


def test_slides_without_a_snapshot_keep_their_ids_under_another_method(
    url: str, tmp_path: Path
) -> None:
    """Killed before the first snapshot, then upgraded: ids go on as they would have."""
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM[:40], ORIGIN, "40")
        for _ in range(3):
            rig.loop.step()  # more slides wait, so no state is written
        number = rig.loop.state.next_story
        with store.write() as connection:
            connection.execute(delete(snapshots))
            connection.execute(update(epochs).values(method=1))
        again = Rig(store)
        assert again.loop.slide == rig.loop.slide
        assert again.loop.state.next_story == number
        again.intake.accept(STREAM[40:], ORIGIN, "60")
        again.loop.finish()
        assert check(store) == []
        numbers = again.loop.state.next_story
    with opened(f"sqlite:///{tmp_path}/other.db") as other:
        assert tell_all(other, STREAM).loop.state.next_story == numbers


def test_an_archive_upgraded_before_its_first_slide_is_of_todays_method(
    url: str,
) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.intake.accept(STREAM[:5], ORIGIN, "5")
        with store.write() as connection:
            connection.execute(update(epochs).values(method=1))
        again = Rig(store)
        again.loop.finish()
        with store.write() as connection:
            connection.execute(delete(snapshots))
        assert Rig(store).loop.state.next_story == again.loop.state.next_story


def test_nothing_is_apply_retention_of_on_the_day_after_a_clock_leapt(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        before = ids_in(store)
        clock = Hand(START + timedelta(days=700))
        rig = Rig(store, clock=clock)
        rig.loop.retention = Retention(articles=timedelta(days=60))
        rig.loop._apply_retention()
        assert ids_in(store) == before
        clock.time += timedelta(hours=2)
        again = Rig(store, clock=clock)  # nor after another start
        again.loop.retention = rig.loop.retention
        again.loop._apply_retention()
        assert ids_in(store) == before
        clock.time += 2 * DAY
        again.loop._apply_retention()
        assert ids_in(store) != before


def test_a_start_outlives_a_text_that_can_no_longer_be_read(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.accept(*(article(n) for n in range(60)))
        rig.accept(article(60, "A title with poison in it"))
        rig.accept(*(article(n) for n in range(61, 130)))
        rig.loop.finish()
        with store.write() as connection:
            connection.execute(delete(snapshots))
        loop = Loop(store, DAILY, TinyEncoder(), StreamClock(), pipeline=Panicky())
        loop.start()
        assert loop.slide == rig.loop.slide
        assert "a60" not in loop.state.records
        with store.read() as connection:
            assert [row.article for row in all_aside(connection)] == ["a60"]
        assert check(store) == []


def test_a_withdrawal_follows_a_commit_that_was_kept_without_a_word(url: str) -> None:
    with opened(url) as store:
        rig = Rig(store)
        rig.accept(*(article(n) for n in range(60)))
        rig.loop.catch_up()
        before = rig.loop._point
        rig.accept(*(article(n) for n in range(60, 90)))
        rig.loop.catch_up()
        assert rig.loop.slide > before.slide
        rig.loop._point = before  # as where the connection broke at the commit
        assert rig.loop.withdraw(WithdrawalRule("article", "a59")).articles == 1
        assert "a59" not in Rig(store).loop.state.records
        rig.loop.finish()
        assert check(store) == []
