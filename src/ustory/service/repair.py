"""The way back for an archive that was served while the clock was ahead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, Connection, delete, select, update

from ustory.core.method import METHOD
from ustory.core.story import EventKind
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn
from ustory.service.recovery import Point, to_article
from ustory.service.resume import keep_state
from ustory.service.slide_runner import SlideRunner
from ustory.store.articles import texts_of_slide
from ustory.store.digest import slide_digest
from ustory.store.epochs import REPAIRED, begin_epoch
from ustory.store.mapping import chunks, load_all
from ustory.store.results import write_events, write_stories
from ustory.store.tables import (
    EventRow,
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
from ustory.store.tables import snapshots as kept
from ustory.window.panes import Calendar, day_of

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

_LONGEST = timedelta(days=1)
"""Nothing is planned further ahead: feeds that fail wait so long, webhooks less."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done."""

    slides: int
    articles: int


def repair_clock(
    connection: Connection,
    runner: SlideRunner,
    calendar: Calendar,
    point: Point,
    now: datetime,
) -> tuple[Point, Repair]:
    """Date back what was written while the clock was ahead of `now`.

    Slides that lie in the future get the time of the one that is now, with all that
    is in them; nothing is lost. The engine goes on with an empty window, for its own
    had moved on: stories that the clock ended stay ended, and are revived where they
    go on. A new epoch begins.
    """
    end = calendar.slide_end(now)
    query = select(slides).where(slides.c.end > end).order_by(slides.c.number)
    future = load_all(connection, query, SlideRow)
    if not future:
        return point, Repair(0, 0)
    found = _ahead(connection, now)
    state = _emptied(connection, runner, point.state, now)
    _date_back(connection, _MOMENTS, now, after=now)
    _date_back(connection, _PLANS, now, after=now + _LONGEST)
    start = end - timedelta(microseconds=calendar.slide)
    for some in chunks(row.number for row in future):
        here = slides.c.number.in_(some)
        connection.execute(update(slides).where(here).values(start=start, end=end))
    _end_stories(connection, point.slide, now)
    connection.execute(delete(kept))
    after = replace(point, state=state)
    if point.slide:
        epoch = begin_epoch(
            connection, slide=point.slide, at=now, reason=REPAIRED, method=METHOD
        )
        after = replace(after, epoch=epoch.number)
        keep_state(connection, runner, after, now)
    _digest_again(connection, min(point.slide, future[0].number))
    return after, Repair(len(future), found)


def _date_back(
    connection: Connection,
    columns: tuple[Column[Any], ...],
    now: datetime,
    after: datetime,
) -> None:
    """Write `now` where these dates are after a time."""
    for column in columns:
        later = update(column.table).where(column > after)
        connection.execute(later.values({column.name: now}))


def _ahead(connection: Connection, now: datetime) -> int:
    query = select(articles.c.id).where(articles.c.fetched_at > now)
    return len(connection.execute(query).all())


def _emptied(
    connection: Connection, runner: SlideRunner, state: State, now: datetime
) -> State:
    """Return the state with nothing in its window, and no profile from the future."""
    numbers: set[int] = set()
    for some in chunks(state.records):
        query = select(articles.c.slide).where(articles.c.id.in_(some))
        numbers.update(connection.execute(query).scalars())
    pairs = [pair for n in sorted(numbers) for pair in texts_of_slide(connection, n)]
    inside = [to_article(*pair) for pair in pairs if pair[0].id in state.records]
    left = runner.engine.without(
        state, Withdrawn(articles=runner.prepared(inside) or [])
    )
    today = day_of(now)
    profiles = left.link.archive.profiles.values()
    later = [profile.story for profile in profiles if profile.last > today]
    link = replace(left.link, archive=left.link.archive.without(later))
    return replace(left, end=None, days={}, link=link)


def _end_stories(connection: Connection, slide: int, now: datetime) -> None:
    """Say of stories that they ended, and that none was seen in the future."""
    query = select(stories).where(
        (stories.c.status == "live")
        | (stories.c.last_seen > now)
        | (stories.c.born_at > now)
    )
    rows = load_all(connection, query.order_by(stories.c.id), StoryRow)
    ended = [row.id for row in rows if row.status == "live"]
    event = EventRow(id=0, slide=slide, at=now, kind=EventKind.EXPIRED, story="")
    write_events(connection, [replace(event, story=name) for name in ended])
    write_stories(
        connection,
        [
            replace(
                row,
                status="expired" if row.status == "live" else row.status,
                inside=0,
                heat=0.0,
                first_seen=min(row.first_seen, now),
                last_seen=min(row.last_seen, now),
                born_at=min(row.born_at, now),
                changed_slide=max(slide, row.changed_slide),
            )
            for row in rows
        ],
    )


def _digest_again(connection: Connection, first: int) -> None:
    """Write what slides decided anew into their digests: events have new dates."""
    query = select(slides.c.number).where(
        slides.c.number >= first, slides.c.status == "done"
    )
    for number in connection.execute(query.order_by(slides.c.number)).scalars().all():
        here = slides.c.number == number
        digest = slide_digest(connection, number)
        connection.execute(update(slides).where(here).values(digest=digest))
