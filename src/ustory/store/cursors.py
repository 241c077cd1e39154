"""How far each source has been read."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from ustory.store.mapping import upsert
from ustory.store.tables import cursors


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
