"""Many sources as one stream: in order of time, each article once."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Protocol, TypeAlias

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival, Source
from ustory.core.spans import EPOCH, Span
from ustory.sources.odd_dates import OddDates
from ustory.sources.records.cursor import line_of
from ustory.sources.records.identity import derived_id, names_address
from ustory.sources.records.problems import Report

Dated: TypeAlias = tuple[str, datetime]
"""An article's id and its publication date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldArticles:
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


def seen_within(window: Span, slide: Span, held: HeldArticles | None = None) -> Seen:
    """Return a memory for windows of this size, empty or as a run left it."""
    held = held or HeldArticles()
    if isinstance(window, timedelta) and isinstance(slide, timedelta):
        return _SeenByTime(window, slide, held)
    if isinstance(window, int) and isinstance(slide, int):
        return _SeenByNumber(window, slide, held)
    raise ConfigError("window and slide must both be durations or both be numbers")


@dataclass(frozen=True, slots=True)
class _Sighting:
    """An id with the date that it was seen with."""

    identity: str
    published_at: datetime


class _SeenByTime:
    """For slides of the calendar.

    A late article joins the open slide, so it is held until that is over, however
    old it is; any other until the window of the slide before has passed it. What has
    an odd date waits here as long as it does in a `Discovery`, and moves nothing on.
    """

    def __init__(self, window: timedelta, slide: timedelta, held: HeldArticles) -> None:
        self._window = window
        self._slide = slide
        self._dates: dict[str, datetime] = {}
        self._oldest: list[tuple[datetime, str]] = []
        inside = [date for _, date in held.window]
        newest = max(inside, default=held.end)
        self._odd: OddDates[_Sighting] = OddDates(window, newest)
        moments = [*inside, *([held.end] if held.end is not None else [])]
        self._start = max(map(self._start_of, moments), default=None)
        """Start of the open slide."""
        for identity, date in held.window:
            self._hold(identity, date)
        for identity, date in held.pending:
            self._take_in(_Sighting(identity, date))

    def note(self, identity: str, date: datetime) -> datetime | None:
        start = max(self._start_of(date), self._start or self._start_of(date))
        for waiting in self._odd.pending:
            if waiting.identity == identity and (
                start - waiting.published_at <= self._window
            ):
                return waiting.published_at
        first = self._dates.get(identity)
        if first is not None and (
            start == self._start or start - first <= self._window
        ):
            return first
        self._take_in(_Sighting(identity, date))
        return None

    def __len__(self) -> int:
        return len(self._dates) + len(self._odd.pending)

    def _take_in(self, sighting: _Sighting) -> None:
        """Hold an id, and others that waited, once their dates are settled."""
        for each in self._odd.push(sighting):
            start = self._start_of(each.published_at)
            if self._start is None or start > self._start:
                self._start = start
                while self._oldest and start - self._oldest[0][0] > self._window:
                    self._dates.pop(heapq.heappop(self._oldest)[1], None)
            self._hold(each.identity, each.published_at)

    def _hold(self, identity: str, date: datetime) -> None:
        self._dates[identity] = date
        heapq.heappush(self._oldest, (date, identity))

    def _start_of(self, moment: datetime) -> datetime:
        return EPOCH + (moment - EPOCH) // self._slide * self._slide


class _SeenByNumber:
    """For slides of equally many articles.

    A complete slide goes into the window in order of publication, not of arrival.
    """

    def __init__(self, window: int, slide: int, held: HeldArticles) -> None:
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


def merge(
    sources: Sequence[Source],
    after: Mapping[str, str],
    problems: Report,
    seen: Seen,
) -> Stream:
    """Return the articles of all sources, the earliest first, each with its source.

    One article of each source is read ahead. A source keeps its own order even where
    its dates go back; of two articles with one date, that of the earlier source comes
    first. `after` has the cursors to resume from, by source name.

    An article whose id is in `seen` is a problem, not an article; where the id is of
    its address it is a new text of that article.
    """
    names = Counter(source.name for source in sources)
    name, times = names.most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ConfigError(f"{name} is given {times} times; give each source once")
    streams = [_named(source, after.get(source.name)) for source in sources]
    merged = heapq.merge(*streams, key=lambda pair: pair[1].article.published_at)
    return Stream(merged, after, problems, seen)


def _named(source: Source, after: str | None) -> Iterator[tuple[str, Arrival]]:
    for arrival in source.read(after):
        yield source.name, arrival


class Stream:
    """The articles of several sources, each once, with the cursors to resume from.

    Mutable: it is read once, from front to back.
    """

    def __init__(
        self,
        merged: Iterator[tuple[str, Arrival]],
        after: Mapping[str, str],
        problems: Report,
        seen: Seen,
    ) -> None:
        self._merged = merged
        self._problems = problems
        self._seen = seen
        self.cursors = dict(after)
        """Where each source stands: behind the last article given, and behind the
        duplicates passed over on the way, which no article's own cursor tells."""

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> tuple[str, Arrival]:
        for name, arrival in self._merged:
            self.cursors[name] = arrival.cursor
            article = arrival.article
            first = self._seen.note(article.id, article.published_at)
            if first is None or names_address(article.id, article.url):
                return name, arrival  # an address that was read before: a new text
            self._problems(_duplicate(name, arrival, first))
        raise StopIteration

    def begin(self) -> None:
        """Read the first article of each source, so that a wrong one is refused now."""
        self._merged = chain(list(islice(self._merged, 1)), self._merged)


def _duplicate(name: str, arrival: Arrival, first: datetime) -> InputError:
    article = arrival.article
    same = f"the id {article.id!r} was read before, in an article of"
    advice = "give each article its own id"
    if article.id == derived_id(
        article.url, article.source, article.title, article.text
    ):
        same = "the article has no id, and the same source, title and text as an "
        same += "earlier one of"
        advice = "leave one of the two out, or give each an id"
    return InputError(
        "duplicate-id",
        f"{same} {first.isoformat()}; {advice}",
        file=name,
        line=line_of(arrival.cursor),
    )
