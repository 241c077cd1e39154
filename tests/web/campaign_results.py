"""What came of a kill campaign, to be compared with a run without kills."""

from __future__ import annotations

from sqlalchemy import delete, func, select

from tests.service.running import outcome, seqs_in
from ustory.core.story import EventKind
from ustory.store import Store
from ustory.store.slides import CONTENT
from ustory.store.tables import events, revisions, snapshots

_TOLD = ("slide", "at", "kind", "story", "articles", "details")


def state_of(store: Store) -> tuple[str, int]:
    """Return what a database holds: all that was found out, and the last text."""
    return outcome(store), len(seqs_in(store))


def found_out(store: Store) -> list[list[tuple[object, ...]]]:
    """Return all stories, assignments, decisions and events, as `digest` takes them.

    Each upgrade makes the ledger say that the method changed, which a run without
    upgrades does not have; without these the events must be the same, in order.
    """
    found = []
    with store.read() as connection:
        for columns, order in CONTENT:
            rows = connection.execute(select(*columns).order_by(*order)).all()
            if columns[0].table is events:
                told = [
                    row._mapping for row in rows if row.kind != EventKind.METHOD_CHANGED
                ]
                found.append([(*(row[name] for name in _TOLD),) for row in told])
            else:
                found.append([tuple(row) for row in rows])
    return found


def trim(store: Store) -> None:
    """Keep the newest snapshot alone: what may be let go of depends on the oldest.

    Which older ones there are depends on how many slides were told at once.
    """
    newest = select(func.max(snapshots.c.slide)).scalar_subquery()
    with store.write() as connection:
        connection.execute(delete(snapshots).where(snapshots.c.slide < newest))


def texts(store: Store) -> list[tuple[str, str | None]]:
    """Return every text that is left, in the order they came in."""
    with store.read() as connection:
        query = select(revisions.c.article, revisions.c.text).order_by(revisions.c.seq)
        return [(row.article, row.text) for row in connection.execute(query)]
