"""Where the time goes, step by step."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up the seconds spent in each named step."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Time one step."""
        start = self._clock()
        try:
            yield
        finally:
            self.seconds[step] += self._clock() - start
