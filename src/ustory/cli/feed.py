"""Articles on their way to the engine, and where their sources stood meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from ustory.cli.position import Position, Skipped
from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.core.settings import Settings
from ustory.engine.stopwatch import Stopwatch
from ustory.ingest.open import open_source
from ustory.ingest.stream import merge


class Feed:
    """The articles of the sources behind a position, each once. Mutable.

    The engine closes a slide when the first article of the next one comes in, so a
    run is resumed from `before`: where the sources stood before the last article.
    """

    def __init__(
        self,
        paths: Sequence[str],
        policy: str,
        settings: Settings,
        start: Position,
        known: Mapping[str, datetime],
    ) -> None:
        self.skipped = Skipped(policy, start)
        self.before = start
        self.last: str | None = None
        """Id of the last article given."""
        sources = [open_source(path, self.skipped) for path in paths]
        horizon = _horizon(settings)
        self._stream = merge(sources, start.cursors, self.skipped, horizon, known)
        self._recent = _Recent(settings, known)

    @property
    def after(self) -> Position:
        """Where the sources stand behind the last article."""
        return self.skipped.position(self._stream.cursors)

    def read(
        self, stopwatch: Stopwatch, show: Callable[[Mapping[str, str]], None]
    ) -> Iterator[Article]:
        """Yield the articles; `show` is told the cursors behind each."""
        while True:
            self.before = self.after
            with stopwatch("reading"):
                pair = next(self._stream, None)
            if pair is None:
                return
            name, arrival = pair
            show(self._stream.cursors)
            if self._recent.has(arrival.article.id):
                self.skipped(_duplicate(arrival.article.id, name, arrival.cursor))
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
