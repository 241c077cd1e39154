"""Articles that were older than the window when they came in, and so in no story."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from ustory.store.tables import IS_LATE, articles


def count_late(connection: Connection) -> int:
    """Return how many there are; an index has them and nothing else."""
    query = select(func.count()).select_from(articles).where(IS_LATE)
    return int(connection.execute(query).scalar_one())
