"""How many articles some stories had, day by day and hour by hour."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    func,
    literal_column,
    select,
    type_coerce,
)

from ustory.store.mapping import chunks, load_all
from ustory.store.tables import StoryDay, articles, story_days

_HOUR = "3600000000"
"""In microseconds, as times are kept; no parameter, or it could not be grouped by."""


def days_of_stories(
    connection: Connection, ids: Collection[str], first: int, last: int
) -> list[StoryDay]:
    """Return the days of some stories, from one day since 1970 to another."""
    day = story_days.c.day
    found: list[StoryDay] = []
    for some in chunks(ids):
        query = select(story_days).where(story_days.c.story.in_(some))
        query = query.where(day >= first, day <= last)
        found += load_all(connection, query.order_by(story_days.c.story, day), StoryDay)
    return found


def hours_of_stories(
    connection: Connection, ids: Collection[str], since: datetime, until: datetime
) -> dict[str, dict[int, int]]:
    """Return how many articles some stories had in each hour since 1970.

    Hours without articles are left out. Only an index is read.
    """
    at: Column[Any] = articles.c.published_at
    hour = (type_coerce(at, BigInteger) // literal_column(_HOUR, BigInteger)).label("h")
    found: dict[str, dict[int, int]] = {story: {} for story in ids}
    for some in chunks(ids):
        query = (
            select(articles.c.story, hour, func.count().label("n"))
            .where(articles.c.story.in_(some), at >= since, at < until)
            .group_by(articles.c.story, hour)
        )
        for story, number, count in connection.execute(query):
            found[story][int(number)] = int(count)
    return found
