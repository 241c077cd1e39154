"""The demo stream as if it were happening: its first week at once, then day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from ustory.core.protocols import Arrival, Source
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source

AT_ONCE = timedelta(days=7)
"""How much of the stream is there from the start."""
SLIDE = timedelta(hours=4)
"""How far the window moves at a time; the demo has only a few articles a day."""
PACE = 10.0
"""Seconds that a day of the stream takes after that."""


class DemoSource:
    """A source that keeps the rhythm of the stream, sped up.

    `wait` sleeps; what it returns does not matter.
    """

    live = False

    def __init__(
        self,
        pace: float,
        wait: Callable[[float], object],
        source: Source | None = None,
    ) -> None:
        self._pace = pace
        self._wait = wait
        self._source = source or open_source(str(demo_stream()))

    @property
    def name(self) -> str:
        """What cursors call it."""
        return "demo"

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor, each when its time has come."""
        last: datetime | None = None
        at_once: datetime | None = None
        for arrival in self._source.read(after):
            moment = arrival.article.published_at
            at_once = at_once or moment + AT_ONCE
            if last is not None and moment > max(last, at_once):
                gap = moment - max(last, at_once)
                self._wait(gap / timedelta(days=1) * self._pace)
            last = moment if last is None else max(last, moment)
            yield arrival
