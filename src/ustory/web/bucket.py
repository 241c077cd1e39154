"""Token buckets: so many requests at once, so many a second after that."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

KEPT = 10_000
"""Callers that are remembered; the one unseen for longest is forgotten first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How much one caller may ask for."""

    burst: int
    """Requests at once."""
    per_second: float
    """Requests a second in the long run."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """One bucket for each caller. Mutable, for one thread.

    Memory is bounded: a caller who comes back after being forgotten has a full
    bucket, which is what it would have had anyway unless thousands came at once.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> int:
        """Take a token; return 0, or the seconds to wait if there is none.

        >>> from itertools import chain, repeat
        >>> times = iter(chain([0.0, 0.0], repeat(10.0)))
        >>> buckets = Buckets(Rate(burst=1, per_second=0.5), lambda: next(times))
        >>> [buckets.take("a") for _ in range(3)]
        [0, 2, 0]
        """
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or _Bucket(self._rate.burst, now)
        gained = max(0.0, now - bucket.at) * self._rate.per_second
        bucket.tokens = min(self._rate.burst, bucket.tokens + gained)
        bucket.at = now
        self._buckets[caller] = bucket
        if len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1:
            return max(1, math.ceil((1 - bucket.tokens) / self._rate.per_second))
        bucket.tokens -= 1
        return 0
