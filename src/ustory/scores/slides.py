"""Follows a stream of assignments from slide to slide, quiet ones included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH

Stories: TypeAlias = Mapping[str, str | None]
"""The story of each article in a window, None for an unassigned one."""


class Row(NamedTuple):
    """One article of one window: where it was when the slide ended."""

    slide_end: datetime
    article: str
    story: str | None


def on_calendar(end: datetime, slide: timedelta) -> bool:
    """Say whether a slide ends a whole number of slides after the epoch, in UTC."""
    return (end - EPOCH) % slide == timedelta(0)


def walk(
    rows: Iterable[Row], window: timedelta, slide: timedelta
) -> Iterator[tuple[datetime, Stories]]:
    """Yield each window that has rows, and the calendar windows between them.

    The rows of a slide are all the articles of its window. A slide without rows
    brought nothing new: its window is the one before, less the articles first
    seen W or longer ago. Nothing is yielded for a window that has run empty.
    """
    stories: Stories = {}
    first_seen: dict[str, datetime] = {}
    before: datetime | None = None
    for end, listed in by_slide(rows):
        if before is not None:
            for quiet in _calendar_between(before, end, slide):
                stories = _still_inside(stories, first_seen, quiet, window)
                if not stories:
                    break
                yield quiet, stories
        first_seen = {article: first_seen.get(article, end) for article in listed}
        stories, before = listed, end
        yield end, listed


def by_slide(rows: Iterable[Row]) -> Iterator[tuple[datetime, Stories]]:
    """Yield the rows of one slide at a time, checked; none for quiet slides."""
    before: datetime | None = None
    for given, group in groupby(rows, key=itemgetter(0)):
        end = _in_utc(given)
        if before is not None and end <= before:
            raise ConfigError(
                "assignments must be grouped by slide, oldest first; got a slide "
                f"ending {end.isoformat()} after one ending {before.isoformat()}: "
                "sort the rows by slide_end"
            )
        yield end, _listed(end, group)
        before = end


def _still_inside(
    stories: Stories,
    first_seen: Mapping[str, datetime],
    end: datetime,
    window: timedelta,
) -> Stories:
    return {a: story for a, story in stories.items() if end - first_seen[a] < window}


def _listed(end: datetime, rows: Iterable[Row]) -> Stories:
    stories: dict[str, str | None] = {}
    for _, article, story in rows:
        if article in stories:
            raise ConfigError(
                f"an article has one story at a time; article {article!r} is listed "
                f"twice in the slide ending {end.isoformat()}: keep one of the rows"
            )
        stories[article] = story
    return stories


def _calendar_between(
    after: datetime, before: datetime, slide: timedelta
) -> Iterator[datetime]:
    following = (after - EPOCH) // slide + 1
    reached = -((EPOCH - before) // slide)  # rounded up: `before` is not between
    for number in range(following, reached):
        yield EPOCH + number * slide


def _in_utc(end: datetime) -> datetime:
    if end.tzinfo is None:
        raise ConfigError(
            f"slide ends must carry a time zone; got {end.isoformat()}: "
            "write it in UTC, with +00:00 at its end"
        )
    return end.astimezone(UTC)
