"""What time it is: by the wall, guarded against jumps, or by the stream itself."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Protocol

from ustory.core.spans import EPOCH

JUMP = timedelta(hours=1)
"""A step of the wall clock that no correction of a working clock makes."""

_log = logging.getLogger(__name__)


class Clock(Protocol):
    """Tells the time to the intake and to the loop; it never goes back."""

    def __call__(self) -> datetime:
        """Return the time, aware, in UTC."""
        ...

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return the time when an article that claims a date has come in at `now`.

        Nothing is changed: only what is committed may move a clock.
        """
        ...

    def reached(self, moment: datetime) -> None:
        """Take note that the stream is at `moment`, which is in the database."""
        ...


def wall_time() -> datetime:
    """Return what the machine's clock says."""
    return datetime.now(UTC)


def steady_seconds() -> float:
    """Return seconds that only go on, those asleep included where they are known."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)


class WallClock:
    """The machine's time, as long as it moves as time does. Mutable.

    Where it steps by more than an hour against the steady clock, it was set, and
    wrongly or not cannot be told: time then goes on steadily from where it was, and
    `on_jump` is told once, in words. Smaller steps are followed, but never back.
    """

    def __init__(
        self,
        wall: Callable[[], datetime] = wall_time,
        steady: Callable[[], float] = steady_seconds,
        on_jump: Callable[[str], None] | None = None,
    ) -> None:
        self._wall = wall
        self._steady = steady
        self.on_jump = on_jump
        self._lock = Lock()
        self._time = wall()
        self._at = steady()
        self.jumped = False
        """Whether the machine's clock is more than an hour off what it should say."""

    def __call__(self) -> datetime:
        """Return the time, aware, in UTC."""
        with self._lock:
            wall, at = self._wall(), self._steady()
            line = self._time + timedelta(seconds=max(at - self._at, 0.0))
            step = wall - line
            jumped, self.jumped = self.jumped, abs(step) > JUMP
            self._time = line if self.jumped else max(wall, self._time)
            self._at = at
            now = self._time
        if self.jumped and not jumped:
            self._say(step, now)
        return now

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return `now`: the wall does not hear what articles claim."""
        del claim
        return now

    def reached(self, moment: datetime) -> None:
        """Do nothing: the wall knows the time."""

    def _say(self, step: timedelta, now: datetime) -> None:
        direction = "forwards" if step > timedelta() else "backwards"
        message = (
            f"the machine's clock jumped {direction} by {abs(step)}; time goes on "
            f"steadily from {now:%Y-%m-%dT%H:%M:%SZ} until the clock agrees again: "
            "set it right, or restart to take its time"
        )
        _log.warning(message)
        if self.on_jump is not None:
            self.on_jump(message)


class StreamClock:
    """The newest date that has come in, for streams that are read again. Mutable.

    Which slide an article is in then depends on the stream alone, however fast it is
    read and however often the reading is interrupted. Dates after `ceiling` do not
    move it: a forged one would end all slides at once.
    """

    def __init__(
        self, start: datetime = EPOCH, ceiling: Callable[[], datetime] = wall_time
    ) -> None:
        self._time = start
        self._ceiling = ceiling

    def __call__(self) -> datetime:
        """Return the newest date that has come in, aware, in UTC."""
        return self._time

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return the later of `now` and the claim, unless it is in the future."""
        return max(now, claim) if claim <= self._ceiling() else now

    def reached(self, moment: datetime) -> None:
        """Go on to `moment`, unless it is later already."""
        self._time = max(self._time, moment)
