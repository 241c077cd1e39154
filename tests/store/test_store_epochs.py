"""Epochs are numbered, said in the ledger, and their first snapshot is kept."""

from __future__ import annotations

from sqlalchemy import select, update

from tests.store.builders import START, fill
from ustory.core.story import EventKind
from ustory.store import Store
from ustory.store.epochs import all_epochs, begin_epoch, current_epoch
from ustory.store.results import events_after
from ustory.store.snapshots import KEEP, latest, put, slides_kept
from ustory.store.tables import epochs, snapshots
from ustory.store.upkeep import check


def test_a_new_database_has_no_epoch(store: Store) -> None:
    with store.read() as connection:
        assert current_epoch(connection) is None


def test_the_first_epoch_is_no_event_and_later_ones_are(store: Store) -> None:
    with store.write() as connection:
        begin_epoch(connection, slide=0, at=START, reason="begin", method=1)
        assert events_after(connection, 0) == []
        begin_epoch(connection, slide=4, at=START, reason="method", method=2)
        (event,) = events_after(connection, 0)
        assert (event.kind, event.story, event.slide) == (
            EventKind.METHOD_CHANGED,
            "",
            4,
        )
        assert event.details["from"] == 1
        assert event.details["to"] == 2
        assert event.details["reason"] == "method"
        assert [each.number for each in all_epochs(connection)] == [1, 2]
        assert current_epoch(connection) == all_epochs(connection)[-1]


def test_an_event_of_the_whole_archive_is_no_fault(store: Store) -> None:
    fill(store)
    with store.write() as connection:
        begin_epoch(connection, slide=0, at=START, reason="begin", method=1)
        begin_epoch(connection, slide=1, at=START, reason="method", method=2)
    assert check(store) == []


def test_epochs_that_cannot_be_are_faults(store: Store) -> None:
    fill(store)
    with store.write() as connection:
        begin_epoch(connection, slide=99, at=START, reason="begin", method=1)
        begin_epoch(connection, slide=1, at=START, reason="method", method=2)
        connection.execute(update(epochs).where(epochs.c.number == 2).values(number=3))
    found = "\n".join(check(store))
    assert "not numbered from 1 to 2" in found
    assert "the last that is done" in found
    assert "before that of an earlier one" in found


def test_the_snapshot_an_epoch_began_with_stays_until_the_next(store: Store) -> None:
    with store.write() as connection:
        begin_epoch(connection, slide=0, at=START, reason="begin", method=1)
        begin_epoch(connection, slide=2, at=START, reason="method", method=2)
        for slide in range(2, 12):
            put(connection, slide, 1, b"state", START)
        assert slides_kept(connection) == [11, 10, 9, 2]
        assert latest(connection) == [11, 10, 9]
        begin_epoch(connection, slide=11, at=START, reason="method", method=3)
        for slide in range(11, 12 + KEEP):
            put(connection, slide, 1, b"state", START)
        assert slides_kept(connection) == [14, 13, 12, 11]


def test_after_a_withdrawal_no_older_snapshot_is_left(store: Store) -> None:
    with store.write() as connection:
        begin_epoch(connection, slide=0, at=START, reason="begin", method=1)
        for slide in (1, 2):
            put(connection, slide, 1, b"has the text", START)
        begin_epoch(connection, slide=2, at=START, reason="withdrawal", method=1)
        assert connection.execute(select(snapshots)).all() == []
