"""Articles on their way to the engine, and where their sources stood meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.core.protocols import Source
from ustory.core.settings import Settings
from ustory.engine.stopwatch import Stopwatch
from ustory.ingest.problems import Problems
from ustory.ingest.stream import merge


@dataclass(frozen=True, slots=True)
class Position:
    """Where the sources stood, and what had been skipped on the way."""

    cursors: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    """The first message of each kind that was skipped."""


class Feed:
    """The articles of the sources behind a position, each once. Mutable.

    The engine closes a slide when the first article of the next one comes in, so a
    run is resumed from `before`: where the sources stood before the last article.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        problems: Problems,
        settings: Settings,
        start: Position,
        known: Mapping[str, datetime],
    ) -> None:
        problems.counts.update(start.skipped)
        problems.examples.update(start.examples)
        self.problems = problems
        self.before = start
        self.last: str | None = None
        """Id of the last article given."""
        self._stream = merge(
            sources, start.cursors, problems, _horizon(settings), known
        )
        self._recent = _Recent(settings, known)

    @property
    def after(self) -> Position:
        """Where the sources stand behind the last article."""
        return Position(
            dict(self._stream.cursors),
            dict(self.problems.counts),
            dict(self.problems.examples),
        )

    def read(
        self, stopwatch: Stopwatch, show: Callable[[Mapping[str, str]], None]
    ) -> Iterator[Article]:
        """Yield the articles; `show` is told the cursors behind each."""
        while True:
            before = self.after
            with stopwatch("reading"):
                pair = next(self._stream, None)
            self.before = before
            if pair is None:
                self.before = self.after
                return
            name, arrival = pair
            show(self._stream.cursors)
            if self._recent.has(arrival.article.id):
                self.problems(_duplicate(arrival.article.id, name, arrival.cursor))
                continue
            self.last = arrival.article.id
            yield arrival.article


class _Recent:
    """The ids that a window by number may still hold; none of a window by time."""

    def __init__(self, settings: Settings, known: Mapping[str, datetime]) -> None:
        self._room = 0
        if isinstance(settings.window, int) and isinstance(settings.slide, int):
            self._room = settings.window + settings.slide
        self._queue: deque[str] = deque()
        self._ids: set[str] = set()
        for article in known:
            self.has(article)

    def has(self, article: str) -> bool:
        """Say whether an id was seen lately, and remember it."""
        if article in self._ids:
            return True
        if self._room:
            self._ids.add(article)
            self._queue.append(article)
            if len(self._queue) > self._room:
                self._ids.discard(self._queue.popleft())
        return False


def _horizon(settings: Settings) -> timedelta:
    """Return how long an id must stay unique: while the engine may hold it."""
    if isinstance(settings.window, timedelta) and isinstance(settings.slide, timedelta):
        return settings.window + settings.slide
    return timedelta(0)


def _duplicate(article: str, name: str, cursor: str) -> InputError:
    return InputError(
        "duplicate-id",
        f"the id {article!r} is already in the window; give each article its own id",
        file=name,
        line=int(cursor) if cursor.isascii() and cursor.isdigit() else 0,
    )
