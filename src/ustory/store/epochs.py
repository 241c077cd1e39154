"""Epochs: from which slide on which version of the method computed the archive."""

from __future__ import annotations

from datetime import datetime
from importlib.metadata import version

from sqlalchemy import Connection, delete, select

from ustory.core.story import EventKind
from ustory.store.mapping import add, load_all, load_one, next_number, values
from ustory.store.results import write_events
from ustory.store.tables import Epoch, EventRow, epochs, snapshots

BEGIN, METHOD_CHANGED, RETOLD = "begin", "method", "retold"
WITHDRAWAL, REPAIRED = "withdrawal", "repaired"
REASONS = (BEGIN, METHOD_CHANGED, RETOLD, WITHDRAWAL, REPAIRED)

_WITHOUT_PAST = (RETOLD, WITHDRAWAL)
"""After these no older snapshot may be used: it has other stories, or other texts."""


def begin_epoch(
    connection: Connection, *, slide: int, at: datetime, reason: str, method: int
) -> Epoch:
    """Write that another epoch begins after a slide, and return it.

    The ledger gets an event that says so (of the kind `method_changed`; it is of no
    story). The caller puts the state after `slide` into a snapshot in the same
    transaction: it is kept for as long as the epoch lasts. Where stories were
    computed anew, or texts withdrawn, older snapshots are deleted.
    """
    assert reason in REASONS, reason
    number = next_number(connection, epochs.c.number)
    epoch = Epoch(
        number=number,
        slide=slide,
        at=at,
        reason=reason,
        method=method,
        version=version("ustory"),
    )
    before = current_epoch(connection)
    add(connection, epochs, [values(epoch)])
    if before is not None:
        write_events(connection, [_event(before, epoch)])
    if reason in _WITHOUT_PAST:
        connection.execute(delete(snapshots).where(snapshots.c.slide <= slide))
    return epoch


def current_epoch(connection: Connection) -> Epoch | None:
    """Return the epoch that lasts; None in a database that no service has used."""
    query = select(epochs).order_by(epochs.c.number.desc())
    return load_one(connection, query, Epoch)


def epoch_number(connection: Connection) -> int:
    """Return the number of the epoch that lasts, 0 before the first."""
    epoch = current_epoch(connection)
    return 0 if epoch is None else epoch.number


def all_epochs(connection: Connection) -> list[Epoch]:
    """Return all epochs, the first one first."""
    return load_all(connection, select(epochs).order_by(epochs.c.number), Epoch)


def _event(before: Epoch, epoch: Epoch) -> EventRow:
    return EventRow(
        id=0,
        slide=epoch.slide,
        at=epoch.at,
        kind=EventKind.METHOD_CHANGED,
        story="",
        details={
            "epoch": epoch.number,
            "reason": epoch.reason,
            "from": before.method,
            "to": epoch.method,
            "version": epoch.version,
        },
    )
