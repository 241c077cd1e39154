"""Correcting dates that were written while the clock of the machine was ahead."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, Connection, func, select, update

from ustory.store.mapping import chunks, load_all
from ustory.store.results import restate_slide
from ustory.store.search_rows import note_articles
from ustory.store.tables import (
    SlideRow,
    StoryRow,
    articles,
    cursors,
    deliveries,
    edits,
    epochs,
    events,
    feeds,
    matches,
    problems,
    revisions,
    set_aside,
    slides,
    stories,
    watchlists,
)

_MOMENTS: tuple[Column[Any], ...] = (
    articles.c.published_at,
    articles.c.fetched_at,
    revisions.c.fetched_at,
    events.c.at,
    matches.c.at,
    problems.c.at,
    cursors.c.updated_at,
    feeds.c.added_at,
    feeds.c.last_ok,
    set_aside.c.at,
    edits.c.at,
    epochs.c.at,
    watchlists.c.created_at,
    slides.c.done_at,
)
"""Every date that the clock gave; what publishers claim is not among them."""

_PLANS: tuple[Column[Any], ...] = (feeds.c.next_at, deliveries.c.next_at)
"""What is to be done when; it is in the future as a rule."""

_LONGEST_PLAN = timedelta(days=1)
"""Nothing is planned further ahead: feeds that fail wait so long, webhooks less."""


def date_back(connection: Connection, now: datetime) -> None:
    """Replace every date after `now` by `now`, and plans more than a day ahead."""
    ahead = select(articles.c.id).where(articles.c.published_at > now)
    ids = list(connection.execute(ahead).scalars())
    for columns, after in ((_MOMENTS, now), (_PLANS, now + _LONGEST_PLAN)):
        for column in columns:
            later = update(column.table).where(column > after)
            connection.execute(later.values({column.name: now}))
    note_articles(connection, ids)


def slides_ending_after(connection: Connection, end: datetime) -> list[SlideRow]:
    """Return the slides that end after a time, in order."""
    query = select(slides).where(slides.c.end > end).order_by(slides.c.number)
    return load_all(connection, query, SlideRow)


def move_slides(
    connection: Connection, numbers: Collection[int], start: datetime, end: datetime
) -> None:
    """Give some slides another time."""
    for some in chunks(numbers):
        here = slides.c.number.in_(some)
        connection.execute(update(slides).where(here).values(start=start, end=end))


def count_fetched_after(connection: Connection, moment: datetime) -> int:
    """Return how many articles were fetched after a time."""
    query = select(func.count()).where(articles.c.fetched_at > moment)
    return int(connection.execute(query).scalar_one())


def stories_live_or_after(connection: Connection, moment: datetime) -> list[StoryRow]:
    """Return the stories that are live, or were seen or born after a time."""
    query = select(stories).where(
        (stories.c.status == "live")
        | (stories.c.last_seen > moment)
        | (stories.c.born_at > moment)
    )
    return load_all(connection, query.order_by(stories.c.id), StoryRow)


def restate_slides(connection: Connection, first: int) -> None:
    """Compute the digests of the slides from one on again: their events changed."""
    query = select(slides.c.number).where(
        slides.c.number >= first, slides.c.status == "done"
    )
    for number in connection.execute(query.order_by(slides.c.number)).scalars().all():
        restate_slide(connection, number)
