"""Which ids a run may not meet again: exactly those that its engine still holds."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, Span

Dated: TypeAlias = tuple[str, datetime]
"""An article's id and its publication date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What an interrupted run had taken in when it stopped."""

    end: datetime | None = None
    """End of its last complete slide."""
    window: tuple[Dated, ...] = ()
    """The articles in its window, in the order they were put there."""
    pending: tuple[Dated, ...] = ()
    """Those of the slide that was still open."""


class Seen(Protocol):
    """The ids in the window and in the open slide. Mutable.

    Only what is let through moves it on: a run that resumes from there must come
    to the same answers.
    """

    def note(self, identity: str, date: datetime) -> datetime | None:
        """Return the date this id was first seen with, None if it is new."""
        ...

    def __len__(self) -> int:
        """Return how many ids are held in memory."""
        ...


def seen_within(window: Span, slide: Span, held: Held | None = None) -> Seen:
    """Return a memory for windows of this size, empty or as a run left it."""
    held = held or Held()
    if isinstance(window, timedelta) and isinstance(slide, timedelta):
        return _ByTime(window, slide, held)
    if isinstance(window, int) and isinstance(slide, int):
        return _ByNumber(window, slide, held)
    raise ConfigError("window and slide must both be durations or both be numbers")


class _ByTime:
    """For slides of the calendar.

    A late article joins the open slide, so it is held until that is over, however
    old it is; any other until the window of the slide before has passed it.
    """

    def __init__(self, window: timedelta, slide: timedelta, held: Held) -> None:
        self._window = window
        self._slide = slide
        self._dates: dict[str, datetime] = {}
        self._oldest: list[tuple[datetime, str]] = []
        moments = [date for _, date in (*held.window, *held.pending)]
        if held.end is not None:
            moments.append(held.end)
        self._start = max(map(self._start_of, moments), default=None)
        """Start of the open slide."""
        for identity, date in (*held.window, *held.pending):
            self._hold(identity, date)

    def note(self, identity: str, date: datetime) -> datetime | None:
        start = max(self._start_of(date), self._start or self._start_of(date))
        first = self._dates.get(identity)
        if first is not None and (
            start == self._start or start - first <= self._window
        ):
            return first
        if start != self._start:
            self._start = start
            while self._oldest and start - self._oldest[0][0] > self._window:
                self._dates.pop(heapq.heappop(self._oldest)[1], None)
        self._hold(identity, date)
        return None

    def __len__(self) -> int:
        return len(self._dates)

    def _hold(self, identity: str, date: datetime) -> None:
        self._dates[identity] = date
        heapq.heappush(self._oldest, (date, identity))

    def _start_of(self, moment: datetime) -> datetime:
        return EPOCH + (moment - EPOCH) // self._slide * self._slide


class _ByNumber:
    """For slides of equally many articles.

    A complete slide goes into the window in order of publication, not of arrival.
    """

    def __init__(self, window: int, slide: int, held: Held) -> None:
        self._window = window
        self._slide = slide
        self._dates = dict((*held.window, *held.pending))
        self._inside = deque(identity for identity, _ in held.window)
        self._open = list(held.pending)

    def note(self, identity: str, date: datetime) -> datetime | None:
        if len(self._open) == self._slide:
            self._complete()
        first = self._dates.get(identity)
        if first is None:
            self._dates[identity] = date
            self._open.append((identity, date))
        return first

    def __len__(self) -> int:
        return len(self._dates)

    def _complete(self) -> None:
        by_date = sorted(self._open, key=lambda dated: (dated[1], dated[0]))
        self._inside.extend(identity for identity, _ in by_date)
        self._open = []
        for _ in range(len(self._inside) - self._window):
            self._dates.pop(self._inside.popleft(), None)
