"""How long to wait after failures in a row, before the next attempt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

_MAX_DOUBLINGS = 20


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double with each failure, from `first` up to `longest`.

    It holds no state: callers count their failures, and bring their own randomness.

    >>> patience = Backoff(timedelta(seconds=10), timedelta(minutes=1))
    >>> [patience.after(n).seconds for n in (1, 2, 3, 4, 100)]
    [10, 20, 40, 60, 60]
    """

    first: timedelta
    longest: timedelta

    def after(self, failures: int, draw: float = 1.0) -> timedelta:
        """Return the wait after so many failures in a row.

        `draw`, a random number in [0, 1], shortens it by up to a half, so that those
        that failed together do not try again together.
        """
        times: int = 2 ** min(max(failures, 1) - 1, _MAX_DOUBLINGS)
        return min(self.first * times, self.longest) * (0.5 + 0.5 * draw)

    def seconds(self, failures: int) -> float:
        """Return the wait after so many failures in a row, in seconds."""
        return self.after(failures).total_seconds()
