"""The feeds that are read, and how far each other source has been read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, select

from ustory.store.mapping import load_all, load_one, upsert, values
from ustory.store.tables import FeedRow, cursors, feeds


def put_feeds(connection: Connection, rows: Sequence[FeedRow]) -> None:
    """Add feeds, or replace those with the same address."""
    upsert(connection, feeds, [values(row) for row in rows])


def add_feeds(connection: Connection, rows: Sequence[FeedRow]) -> list[FeedRow]:
    """Add the feeds that are not there yet, and return those."""
    there = {row.url for row in all_feeds(connection)}
    new = {row.url: row for row in rows if row.url not in there}
    put_feeds(connection, list(new.values()))
    return list(new.values())


def feed(connection: Connection, url: str) -> FeedRow | None:
    """Return a feed by its address."""
    return load_one(connection, select(feeds).where(feeds.c.url == url), FeedRow)


def all_feeds(connection: Connection) -> list[FeedRow]:
    """Return every feed, by address."""
    return load_all(connection, select(feeds).order_by(feeds.c.url), FeedRow)


def feed_urls(connection: Connection) -> list[str]:
    """Return the addresses of all feeds, in order."""
    query = select(feeds.c.url).order_by(feeds.c.url)
    return list(connection.execute(query).scalars())


def count_feeds(connection: Connection) -> int:
    """Return how many feeds there are."""
    return connection.execute(select(func.count()).select_from(feeds)).scalar_one()


def count_failing(connection: Connection) -> int:
    """Return how many active feeds failed when they were last read."""
    query = select(func.count()).where(feeds.c.active, feeds.c.failures > 0)
    return int(connection.execute(query).scalar_one())


def remove_feed(connection: Connection, url: str) -> bool:
    """Stop reading a feed; return whether there was one."""
    return connection.execute(delete(feeds).where(feeds.c.url == url)).rowcount > 0


def get_cursor(connection: Connection, source: str) -> str | None:
    """Return where reading a source goes on, None where it was never read."""
    query = select(cursors.c.cursor).where(cursors.c.source == source)
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else str(found)


def put_cursor(connection: Connection, source: str, cursor: str, at: datetime) -> None:
    """Keep where reading a source goes on."""
    row = {"source": source, "cursor": cursor, "updated_at": at}
    upsert(connection, cursors, [row])


def read_times(connection: Connection) -> dict[str, datetime]:
    """Return when each source was last read, by name."""
    query = select(cursors.c.source, cursors.c.updated_at).order_by(cursors.c.source)
    return {str(row.source): row.updated_at for row in connection.execute(query)}
