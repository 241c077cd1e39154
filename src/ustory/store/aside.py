"""Articles that are set aside: their slides are computed without them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, select

from ustory.store.mapping import load_all, load_one, upsert, values
from ustory.store.tables import AsideRow, set_aside


def put_aside(connection: Connection, rows: Sequence[AsideRow]) -> None:
    """Set articles aside; one that is already gets the new reason."""
    upsert(connection, set_aside, [values(row) for row in rows])


def aside(connection: Connection, article: str) -> AsideRow | None:
    """Return why an article is set aside, None where it is not."""
    query = select(set_aside).where(set_aside.c.article == article)
    return load_one(connection, query, AsideRow)


def left_out(connection: Connection, slide: int) -> frozenset[str]:
    """Return the articles without which a slide is computed."""
    query = select(set_aside).where(set_aside.c.slide == slide)
    return frozenset(
        row.article for row in load_all(connection, query, AsideRow) if row.left_out
    )


def all_aside(connection: Connection, limit: int = 50) -> list[AsideRow]:
    """Return the articles set aside last, newest first."""
    newest = set_aside.c.at.desc(), set_aside.c.seq.desc()
    query = select(set_aside).order_by(*newest).limit(limit)
    return load_all(connection, query, AsideRow)


def take_back(connection: Connection, article: str) -> None:
    """Forget that an article was set aside."""
    connection.execute(delete(set_aside).where(set_aside.c.article == article))


def count_aside(connection: Connection) -> int:
    """Return how many articles are set aside."""
    query = select(func.count()).select_from(set_aside)
    return int(connection.execute(query).scalar_one())
