"""Reading the ledger of events."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from ustory.store.mapping import load_all
from ustory.store.tables import EventRow, events


def events_after(
    connection: Connection,
    after: int,
    limit: int = 100,
    story: str | None = None,
    kinds: Collection[str] | None = None,
) -> list[EventRow]:
    """Return the next events after an id, oldest first."""
    query = select(events).where(events.c.id > after)
    query = query.order_by(events.c.id).limit(limit)
    if story is not None:
        query = query.where(events.c.story == story)
    if kinds is None:
        return load_all(connection, query, EventRow)
    # one walk for each kind: a rare one is not looked for among all the others
    walks = (query.where(events.c.kind == kind) for kind in sorted(set(kinds)))
    found = [row for walk in walks for row in load_all(connection, walk, EventRow)]
    return sorted(found, key=lambda row: row.id)[:limit]


def events_of_story(
    connection: Connection, story: str, limit: int = 100, before: int | None = None
) -> list[EventRow]:
    """Return the newest events of a story (below `before`), newest first."""
    query = select(events).where(events.c.story == story)
    if before is not None:
        query = query.where(events.c.id < before)
    ordered = query.order_by(events.c.id.desc()).limit(limit)
    return load_all(connection, ordered, EventRow)


def last_event(connection: Connection) -> int:
    """Return the id of the newest event, 0 before the first."""
    return connection.execute(select(func.max(events.c.id))).scalar_one() or 0


def events_of_slide(connection: Connection, slide: int) -> list[EventRow]:
    """Return the events of stories in a slide, in order."""
    query = select(events).where(events.c.slide == slide, events.c.story != "")
    return load_all(connection, query.order_by(events.c.id), EventRow)


def newest_events_except(
    connection: Connection, story: str, kind: str, limit: int
) -> list[EventRow]:
    """Return the newest events of a story that are not of a kind, newest first."""
    query = select(events).where(events.c.story == story, events.c.kind != kind)
    ordered = query.order_by(events.c.id.desc()).limit(limit)
    return load_all(connection, ordered, EventRow)


def events_of_kind(
    connection: Connection, names: Collection[str], kind: str
) -> list[EventRow]:
    """Return all events of a kind of some stories."""
    query = select(events).where(events.c.story.in_(names), events.c.kind == kind)
    return load_all(connection, query, EventRow)
