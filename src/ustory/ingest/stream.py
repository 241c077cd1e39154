"""Many sources as one stream: in order of time, each article once."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival, Source
from ustory.ingest.problems import Report


def merge(
    sources: Sequence[Source],
    after: Mapping[str, str],
    problems: Report,
    horizon: timedelta,
    known: Mapping[str, datetime] | None = None,
) -> Stream:
    """Return the articles of all sources, the earliest first, each with its source.

    One article of each source is read ahead. A source keeps its own order even where
    its dates go back; of two articles with one date, that of the earlier source comes
    first. `after` has the cursors to resume from, by source name.

    An article whose id was seen before is a problem, not an article, as long as the
    first one was published within `horizon` of the newest seen so far. Older ids are
    forgotten, so memory does not grow with the stream. `known` are the ids, with their
    publication dates, that an interrupted run had seen.
    """
    names = Counter(source.name for source in sources)
    name, times = names.most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ConfigError(f"{name} is given {times} times; give each source once")
    streams = [_named(source, after.get(source.name)) for source in sources]
    merged = heapq.merge(*streams, key=lambda pair: pair[1].article.published_at)
    return Stream(merged, after, problems, _Seen(horizon, known or {}))


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
        seen: _Seen,
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
            if first is None:
                return name, arrival
            self._problems(_duplicate(name, arrival, first))
        raise StopIteration

    @property
    def remembered(self) -> int:
        """How many ids are held in memory to find duplicates."""
        return len(self._seen)


def _duplicate(name: str, arrival: Arrival, first: datetime) -> InputError:
    cursor = arrival.cursor
    return InputError(
        "duplicate-id",
        f"the id {arrival.article.id!r} was read before, in an article of "
        f"{first.isoformat()}; give each article its own id",
        file=name,
        line=int(cursor) if cursor.isascii() and cursor.isdigit() else 0,
    )


class _Seen:
    """The ids within the horizon. Mutable; each id is put in and taken out once."""

    def __init__(self, horizon: timedelta, known: Mapping[str, datetime]) -> None:
        self._horizon = horizon
        self._dates: dict[str, datetime] = {}
        self._queue: deque[tuple[str, datetime]] = deque()
        self._newest: datetime | None = None
        for identity, date in sorted(known.items(), key=lambda pair: pair[1]):
            self.note(identity, date)

    def note(self, identity: str, date: datetime) -> datetime | None:
        """Return the date this id was first seen with, None if it is new.

        Only a new one moves the horizon: a run that resumes from what was let
        through must come to the same answers.
        """
        newest = max(date, self._newest or date)
        first = self._dates.get(identity)
        if first is not None and newest - first <= self._horizon:
            return first
        self._newest = newest
        self._forget(newest)
        if newest - date <= self._horizon:
            self._dates[identity] = date
            self._queue.append((identity, date))
        return None

    def __len__(self) -> int:
        return len(self._queue)

    def _forget(self, newest: datetime) -> None:
        # The queue is in order of arrival, so a late article may wait behind a newer
        # one: for at most a horizon, after which the newer one goes as well.
        while self._queue and newest - self._queue[0][1] > self._horizon:
            identity, date = self._queue.popleft()
            if self._dates.get(identity) == date:
                del self._dates[identity]
