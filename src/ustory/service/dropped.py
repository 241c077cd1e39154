"""How many articles were not taken in since the start, and why."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

RECENT = 300.0
"""Seconds for which articles that were turned away count as happening now."""


class LeftOut:
    """Counts of articles that were not taken in. Mutable, for any thread."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._refused = 0
        self._turned_away = 0
        self._last: float | None = None

    def refuse(self, count: int) -> None:
        """Count articles that break a rule: they will not be taken in later either."""
        with self._lock:
            self._refused += count

    def turn_away(self, count: int) -> None:
        """Count articles without room; feeds and files bring them again."""
        with self._lock:
            self._turned_away += count
            self._last = self._seconds()

    def counts(self) -> dict[str, int]:
        """Return the counts by their reason."""
        with self._lock:
            return {"refused": self._refused, "turned_away": self._turned_away}

    @property
    def is_turning_away(self) -> bool:
        """Whether articles were turned away in the last minutes."""
        with self._lock:
            last = self._last
        return last is not None and self._seconds() - last < RECENT
