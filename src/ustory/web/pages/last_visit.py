"""The last visit of a reader, which a cookie remembers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

COOKIE = "ustory-looked"
PAUSE = timedelta(minutes=30)
"""After this pause, a new visit begins."""


@dataclass(frozen=True, slots=True)
class LastVisit:
    """How much of the ledger a reader has seen.

    Events up to `seen` count as seen since `at`; `newest` is the last event on their
    last page, and `last` is when they opened it.
    """

    seen: int
    at: datetime
    newest: int
    last: datetime

    @classmethod
    def of(cls, cookie: str | None, newest: int, now: datetime) -> LastVisit:
        """Return the visit of a cookie, updated by a page that is opened now.

        >>> now = datetime(2024, 3, 7, 12, tzinfo=UTC)
        >>> first = LastVisit.of(None, 10, now)
        >>> soon = LastVisit.of(first.cookie, 15, now + timedelta(minutes=5))
        >>> soon.seen, LastVisit.of(soon.cookie, 20, now + timedelta(hours=2)).seen
        (10, 15)
        """
        known = _parsed(cookie)
        if known is None or known.newest > newest or known.last > now:
            return cls(newest, now, newest, now)
        if now - known.last > PAUSE:
            return cls(known.newest, known.last, newest, now)
        return cls(known.seen, known.at, newest, now)

    @property
    def cookie(self) -> str:
        """The value of the cookie."""
        at, last = int(self.at.timestamp()), int(self.last.timestamp())
        return f"{self.seen}.{at}.{self.newest}.{last}"


def _parsed(cookie: str | None) -> LastVisit | None:
    parts = (cookie or "").split(".")
    if len(parts) != 4 or not all(p.isascii() and p.isdigit() for p in parts):
        return None
    if max(map(len, parts)) > 12:
        return None
    seen, at, newest, last = map(int, parts)
    try:
        moments = [datetime.fromtimestamp(each, UTC) for each in (at, last)]
    except (ValueError, OverflowError, OSError):
        return None
    return LastVisit(seen, moments[0], newest, moments[1])
