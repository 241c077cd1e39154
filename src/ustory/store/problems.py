"""What went wrong lately."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, func, select

from ustory.store.mapping import add, load_all, next_number, values
from ustory.store.tables import Problem, problems

KEEP = 1000
"""How many problems are kept."""


def add_problem(
    connection: Connection, at: datetime, origin: str, kind: str, message: str
) -> Problem:
    """Keep a problem and return it; only the newest stay."""
    number = next_number(connection, problems.c.id)
    row = Problem(id=number, at=at, origin=origin, kind=kind, message=message)
    add(connection, problems, [values(row)])
    connection.execute(delete(problems).where(problems.c.id <= number - KEEP))
    return row


def recent_problems(
    connection: Connection, limit: int = 50, before: int | None = None
) -> list[Problem]:
    """Return the newest problems (ids below `before`), newest first."""
    query = select(problems).order_by(problems.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(problems.c.id < before)
    return load_all(connection, query, Problem)


def count_problems(connection: Connection, since: datetime) -> dict[str, int]:
    """Return how many problems of each kind there were since a time, by kind."""
    query = select(problems.c.kind, func.count()).where(problems.c.at >= since)
    found = connection.execute(query.group_by(problems.c.kind)).all()
    return {str(row[0]): int(row[1]) for row in sorted(map(tuple, found))}
