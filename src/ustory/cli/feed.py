"""Articles on their way to the engine, and the positions of their sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ustory.cli.saved import Position, Skipped
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.engine.prepare import Stopwatch
from ustory.sources.merging import HeldArticles, merge, seen_within
from ustory.sources.open import open_source


class ArticleFeed:
    """The articles of the sources after a position, each once. Mutable.

    The engine closes a slide when the first article of the next one comes in, so a
    run is resumed from `before`: the position before the last article.
    """

    def __init__(
        self,
        paths: Sequence[str],
        policy: str,
        settings: Settings,
        start: Position,
        held: HeldArticles,
        read_as: str | None = None,
    ) -> None:
        self.skipped = Skipped(policy, start)
        self.before = start
        self.last: str | None = None
        """Id of the last article given."""
        sources = [open_source(path, self.skipped, kind=read_as) for path in paths]
        seen = seen_within(settings.window, settings.slide, held)
        self._stream = merge(sources, start.cursors, self.skipped, seen)

    def begin(self) -> None:
        """Refuse sources that are not those of the run, before anything is written.

        A new run has nothing to compare them with, and need not wait for them.
        """
        if self.before.cursors:
            self._stream.begin()

    @property
    def after(self) -> Position:
        """The position of the sources after the last article."""
        return self.skipped.position(self._stream.cursors)

    def read(
        self, stopwatch: Stopwatch, show: Callable[[Mapping[str, str]], None]
    ) -> Iterator[Article]:
        """Yield the articles; `show` is called with the cursors after each."""
        while True:
            self.before = self.after
            with stopwatch("reading"):
                pair = next(self._stream, None)
            if pair is None:
                return
            show(self._stream.cursors)
            article = pair[1].article
            self.last = article.id
            yield article
