"""Watchlists, what they matched, and the messages about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from ustory.store.mapping import add, load_all, load_one, next_number, upsert, values
from ustory.store.tables import (
    Delivery,
    Match,
    Watchlist,
    deliveries,
    matches,
    watchlists,
)

CLOUDEVENTS = "cloudevents"
"""The `webhook_format` of new watchlists."""


def put_watchlist(connection: Connection, row: Watchlist) -> None:
    """Add a watchlist, or replace the one with its id."""
    upsert(connection, watchlists, [values(row)])


def watchlist(connection: Connection, watchlist_id: str) -> Watchlist | None:
    """Return a watchlist by its id."""
    query = select(watchlists).where(watchlists.c.id == watchlist_id)
    return load_one(connection, query, Watchlist)


def all_watchlists(connection: Connection, *, active: bool = False) -> list[Watchlist]:
    """Return every watchlist, or only the active ones, oldest first."""
    query = select(watchlists).order_by(watchlists.c.created_at, watchlists.c.id)
    if active:
        query = query.where(watchlists.c.active.is_(True))
    return load_all(connection, query, Watchlist)


def remove_watchlist(connection: Connection, watchlist_id: str) -> bool:
    """Take away a watchlist with its matches and messages; return whether it was."""
    for table in (matches, deliveries):
        connection.execute(delete(table).where(table.c.watchlist == watchlist_id))
    gone = delete(watchlists).where(watchlists.c.id == watchlist_id)
    return connection.execute(gone).rowcount > 0


def add_matches(connection: Connection, rows: Sequence[Match]) -> list[Match]:
    """Keep the matches that are new, numbered in their order, and return those.

    A watchlist matches a story once; the ids given do not matter.
    """
    names = sorted({row.watchlist for row in rows})
    query = select(matches.c.watchlist, matches.c.story)
    found = connection.execute(
        query.where(
            matches.c.watchlist.in_(names), matches.c.story.in_({r.story for r in rows})
        )
    )
    there = {(row.watchlist, row.story) for row in found}
    new: list[Match] = []
    following = next_number(connection, matches.c.id)
    for row in rows:
        if (row.watchlist, row.story) not in there:
            there.add((row.watchlist, row.story))
            new.append(replace(row, id=following + len(new)))
    add(connection, matches, [values(row) for row in new])
    return new


def matches_of(
    connection: Connection,
    watchlist_id: str,
    limit: int = 50,
    before: int | None = None,
) -> list[Match]:
    """Return what a watchlist matched (ids below `before`), newest first."""
    query = select(matches).where(matches.c.watchlist == watchlist_id)
    if before is not None:
        query = query.where(matches.c.id < before)
    return load_all(connection, query.order_by(matches.c.id.desc()).limit(limit), Match)


def put_deliveries(connection: Connection, rows: Sequence[Delivery]) -> None:
    """Add messages, or replace those with the same idempotency key."""
    upsert(connection, deliveries, [values(row) for row in rows])


def due_watchlists(connection: Connection, now: datetime) -> list[str]:
    """Return the watchlists with messages to be sent now, the longest overdue first."""
    oldest = func.min(deliveries.c.next_at)
    query = (
        select(deliveries.c.watchlist)
        .where(deliveries.c.status == "due", deliveries.c.next_at <= now)
        .group_by(deliveries.c.watchlist)
        .order_by(oldest, deliveries.c.watchlist)
    )
    return list(connection.execute(query).scalars())


def due_deliveries(
    connection: Connection,
    now: datetime,
    limit: int = 50,
    of: Collection[str] | None = None,
) -> list[Delivery]:
    """Return the messages to be sent now, the longest overdue first.

    `of` names the watchlists whose messages are wanted; all of them when left out.
    """
    query = select(deliveries).where(
        deliveries.c.status == "due", deliveries.c.next_at <= now
    )
    if of is not None:
        query = query.where(deliveries.c.watchlist.in_(of))
    ordered = query.order_by(deliveries.c.next_at, deliveries.c.id)
    return load_all(connection, ordered.limit(limit), Delivery)


def redirect_deliveries(connection: Connection, row: Watchlist, now: datetime) -> None:
    """Make the messages that are still due follow what their watchlist says now.

    Without a webhook, or while it is not active, they are cancelled; with another
    webhook they are sent there, as if they were new.
    """
    due = (deliveries.c.watchlist == row.id) & (deliveries.c.status == "due")
    if row.webhook is None or not row.active:
        change: dict[str, object] = {"status": "cancelled", "last_error": None}
        connection.execute(update(deliveries).where(due).values(**change))
        return
    moved = due & (deliveries.c.url != row.webhook)
    change = {"url": row.webhook, "attempts": 0, "next_at": now, "last_error": None}
    connection.execute(update(deliveries).where(moved).values(**change))


def delivery(connection: Connection, delivery_id: str) -> Delivery | None:
    """Return a message by its idempotency key."""
    query = select(deliveries).where(deliveries.c.id == delivery_id)
    return load_one(connection, query, Delivery)


def count_deliveries(
    connection: Connection, status: str, *, tried: bool = False
) -> int:
    """Return how many messages have a status; with `tried`, only those sent."""
    here = deliveries.c.status == status
    if tried:
        here &= deliveries.c.attempts > 0
    return int(connection.execute(select(func.count()).where(here)).scalar_one())
