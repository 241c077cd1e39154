"""When each article is due, and how late it was taken."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ustory.core.article import Article
from ustory.core.errors import ConfigError


def parse_rate(text: str) -> float | None:
    """Return articles a second, None for as many as are taken.

    >>> parse_rate("2.5"), parse_rate("max")
    (2.5, None)
    """
    if text == "max":
        return None
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate < float("inf"):
        raise ConfigError(
            "a rate is a number of articles a second above 0, like 100, or `max` for "
            f"as many as are taken; got {text!r}"
        )
    return rate


@dataclass(slots=True)
class Pace:
    """Hands articles over when they are due, and notes how late. Mutable.

    The n-th article is due n / rate seconds after the first, whatever became of those
    before it: who cannot keep up falls behind. Without a rate each is due when the
    one before was taken, and nothing is late.
    """

    rate: float | None
    seconds: float | None = None
    """After so many no more are handed over; None is never."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    handed: int = 0
    lags: array[float] = field(default_factory=lambda: array("d"))
    """Seconds between when an article was due and when it was taken."""
    _began: float | None = None

    @property
    def lag(self) -> float:
        """How late the last article was."""
        return self.lags[-1] if self.lags else 0.0

    def one_by_one(self, articles: Iterable[Article]) -> Iterator[Article]:
        """Yield articles as they are due; one is taken when it is asked for."""
        for [article] in self.in_batches(articles, 1):
            self.taken(1)
            yield article

    def in_batches(
        self, articles: Iterable[Article], most: int
    ) -> Iterator[Sequence[Article]]:
        """Yield what is due now, a few at a time; `taken` says when they were."""
        batch: list[Article] = []
        for article in articles:
            if batch and (len(batch) == most or self._early(len(batch))):
                yield batch
                batch = []
            if not self._wait(len(batch)):
                break
            batch.append(article)
        if batch:
            yield batch

    def taken(self, count: int) -> None:
        """Take note that the next so many articles have been taken."""
        now = self.clock()
        for _ in range(count):
            self.lags.append(max(now - self._due(0), 0.0) if self.rate else 0.0)
            self.handed += 1

    def _due(self, further: int) -> float:
        if self._began is None:
            self._began = self.clock()
        if self.rate is None:
            return self.clock()
        return self._began + (self.handed + further) / self.rate

    def _early(self, further: int) -> bool:
        return self._due(further) > self.clock()

    def _wait(self, further: int) -> bool:
        """Wait until an article is due; return whether it still is to be sent."""
        due = self._due(further)
        assert self._began is not None
        now = self.clock()
        left = float("inf") if self.seconds is None else self.seconds
        # not due - began: adding and taking away the clock would round it
        after = (self.handed + further) / self.rate if self.rate else 0.0
        if max(after, now - self._began) >= left:
            return False
        pause = due - now
        if pause > 0:
            self.sleep(pause)
        return True
