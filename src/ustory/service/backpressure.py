"""How many articles may wait for a slide, and counts of those not taken in."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from math import ceil
from threading import Lock

from ustory.core.errors import UStoryError
from ustory.store import Connection
from ustory.store.slides import next_closed, open_slide, waiting_articles

MAX_WAITING = 20_000
"""Articles that may wait for their slide."""

_MEMORY_RETRY = 30
MIN_RETRY, MAX_RETRY = 10, 900
"""Seconds until a client should try again, at least and at most."""


class Full(UStoryError):  # noqa: N818 - the state of the queue
    """No more articles can be taken in now; `retry_after` is in whole seconds."""

    def __init__(self, waiting: int, most: int, retry_after: int) -> None:
        super().__init__(
            f"{waiting:,} articles wait for their slide, and the limit is {most:,}; "
            f"send these again in {retry_after} seconds"
        )
        self.waiting = waiting
        self.retry_after = retry_after


class Strained(Full):
    """The process uses too much memory: no article is accepted for a while."""

    def __init__(self, held: int, most: int) -> None:
        UStoryError.__init__(
            self,
            f"the service uses {held / 1e6:,.0f} MB of memory, and its limit is "
            f"{most / 1e6:,.0f} MB; send these again in {_MEMORY_RETRY} seconds",
        )
        self.waiting = 0
        self.retry_after = _MEMORY_RETRY


def refuse_when_full(
    connection: Connection, coming: int, now: datetime, most: int = MAX_WAITING
) -> None:
    """Raise Full if `coming` more articles would be too many.

    An empty queue accepts a batch of any size; otherwise one larger than the limit
    could never be sent.
    """
    waiting = waiting_articles(connection)
    if not coming or not waiting or waiting + coming <= most:
        return
    slide = open_slide(connection)
    behind = next_closed(connection) is not None
    left = 0.0 if slide is None or behind else (slide.end - now).total_seconds()
    raise Full(waiting, most, min(max(ceil(left), MIN_RETRY), MAX_RETRY))


RECENT = 300.0
"""Seconds for which a rejection for lack of room counts as current."""


class LeftOut:
    """Counts of articles that were not accepted. Mutable, for any thread."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._refused = 0
        self._turned_away = 0
        self._last: float | None = None

    def refuse(self, count: int) -> None:
        """Count articles that break a rule and will never be accepted."""
        with self._lock:
            self._refused += count

    def turn_away(self, count: int) -> None:
        """Count articles for lack of room; feeds and files bring them again."""
        with self._lock:
            self._turned_away += count
            self._last = self._seconds()

    def counts(self) -> dict[str, int]:
        """Return the counts by reason."""
        with self._lock:
            return {"refused": self._refused, "turned_away": self._turned_away}

    @property
    def is_turning_away(self) -> bool:
        """Whether articles were turned away in the last five minutes."""
        with self._lock:
            last = self._last
        return last is not None and self._seconds() - last < RECENT
