"""Repair of an archive that was written while the clock was ahead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ustory.core.method import METHOD
from ustory.core.story import EventKind
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn
from ustory.service.recovery import Point, to_article
from ustory.service.resume import keep_state
from ustory.service.slide_runner import SlideRunner
from ustory.store import Connection, snapshots
from ustory.store.articles import slides_of, texts_of_slide
from ustory.store.dates import (
    count_fetched_after,
    date_back,
    move_slides,
    restate_slides,
    slides_ending_after,
    stories_live_or_after,
)
from ustory.store.epochs import REPAIRED, begin_epoch
from ustory.store.results import write_events, write_stories
from ustory.store.tables import (
    EventRow,
)
from ustory.window.panes import Calendar, day_of


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair changed."""

    slides: int
    articles: int


def repair_clock(
    connection: Connection,
    runner: SlideRunner,
    calendar: Calendar,
    point: Point,
    now: datetime,
) -> tuple[Point, Repair]:
    """Set dates that were written while the clock was ahead back to `now`.

    Slides in the future get the time of the current slide, with all their content;
    nothing is lost. The engine continues with an empty window, because its window
    had moved on: stories that ended by the wrong clock stay ended, and are revived
    if they continue. A new epoch begins.
    """
    end = calendar.slide_end(now)
    future = slides_ending_after(connection, end)
    if not future:
        return point, Repair(0, 0)
    found = count_fetched_after(connection, now)
    state = _emptied(connection, runner, point.state, now)
    date_back(connection, now)
    start = end - timedelta(microseconds=calendar.slide)
    move_slides(connection, [row.number for row in future], start, end)
    _end_stories(connection, point.slide, now)
    snapshots.forget_all(connection)
    after = replace(point, state=state)
    if point.slide:
        epoch = begin_epoch(
            connection, slide=point.slide, at=now, reason=REPAIRED, method=METHOD
        )
        after = replace(after, epoch=epoch.number)
        keep_state(connection, runner, after, now)
    restate_slides(connection, min(point.slide, future[0].number))
    return after, Repair(len(future), found)


def _emptied(
    connection: Connection, runner: SlideRunner, state: State, now: datetime
) -> State:
    """Return the state with an empty window and no profile from the future."""
    numbers = slides_of(connection, list(state.records))
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
    """End all live stories, and correct their dates that are in the future."""
    rows = stories_live_or_after(connection, now)
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
