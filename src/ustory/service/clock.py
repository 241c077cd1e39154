"""The time of the service: the machine's clock, checked, or the dates of a stream."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Protocol

from ustory.core.errors import StateError
from ustory.core.spans import EPOCH
from ustory.store import Store
from ustory.store.meta import get_meta, put_meta
from ustory.store.slides import recent_slides

JUMP = timedelta(hours=1)
"""A step of the wall clock that is more than a usual correction."""

_log = logging.getLogger(__name__)


class Clock(Protocol):
    """The time of the intake and the loop; it never goes back."""

    def __call__(self) -> datetime:
        """Return the time, aware, in UTC."""
        ...

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return the time after an article with a claimed date came in at `now`.

        The clock is not changed: only committed articles may move it.
        """
        ...

    def reached(self, moment: datetime) -> None:
        """Record that the stream in the database has reached `moment`."""
        ...


def wall_time() -> datetime:
    """Return the time of the machine's clock."""
    return datetime.now(UTC)


def steady_seconds() -> float:
    """Return monotonic seconds, including time asleep if the system counts it."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)


class WallClock:
    """The machine's time, checked against the monotonic clock. Mutable.

    If it steps by more than an hour, somebody set it, rightly or wrongly: time then
    continues steadily from where it was, and `on_jump` is called once with a
    message. Smaller steps are followed, but never backwards.
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
        """Whether the machine's clock is more than an hour off."""

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
        """Return `now`: claimed dates do not move the machine's clock."""
        del claim
        return now

    def reached(self, moment: datetime) -> None:
        """Do nothing: the machine has its own time."""

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
    """The newest date of the stream, for streams that are read again. Mutable.

    The slide of an article then depends on the stream alone, and not on the speed or
    the interruptions of reading. Dates after `ceiling` do not move the clock: a
    forged date would end all slides at once.
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
        """Move to `moment`, unless it is already later."""
        self._time = max(self._time, moment)


FAR = timedelta(days=30)
"""After this time without a slide the clock may be wrong, or the service was off."""
DOUBT = timedelta(days=1)
"""For this time retention then removes nothing: the clock may prove wrong."""
_SINCE = "clock_doubtful_since"


def doubt_about(store: Store, now: datetime) -> str | None:
    """Return what may be wrong with the clock at the start, in words; None if nothing.

    A clock behind the archive is refused. One that is far ahead is accepted, but
    retention waits for a day: see `is_doubtful`.
    """
    with store.read() as connection:
        newest = recent_slides(connection, 1)
    if not newest:
        return None
    if now < newest[0].start - JUMP:
        raise StateError(
            f"the clock says {now:%Y-%m-%dT%H:%MZ}, but {store.url} has a "
            f"slide that began at {newest[0].start:%Y-%m-%dT%H:%MZ}; set the "
            "clock right, or, if it was wrong then and is right now, date the "
            "archive back with `ustory db repair --clock`"
        )
    if now <= newest[0].end + FAR:
        return None
    with store.write() as connection:
        put_meta(connection, _SINCE, now.isoformat())
    return (
        f"the clock says {now:%Y-%m-%dT%H:%MZ}, and the last slide ended at "
        f"{newest[0].end:%Y-%m-%dT%H:%MZ}: if the clock is wrong, set it "
        "right, and date the archive back with `ustory db repair --clock`"
    )


def is_doubtful(store: Store, now: datetime) -> bool:
    """Return whether the clock may be wrong, so that nothing should be removed."""
    with store.read() as connection:
        since = get_meta(connection, _SINCE)
    if since is None:
        return False
    passed = now - datetime.fromisoformat(since)
    return timedelta() <= passed < DOUBT
