"""A clock for tests of the service: it moves when it is told to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass
class HandClock:
    """A clock that is set by hand. Mutable."""

    time: datetime

    def __call__(self) -> datetime:
        """Return the time."""
        return self.time

    def after(self, now: datetime, claim: datetime) -> datetime:
        """Return `now`: what articles claim moves nothing."""
        del claim
        return now

    def reached(self, moment: datetime) -> None:
        """Do nothing."""
        del moment

    def move(self, **span: float) -> None:
        """Let time pass."""
        self.time += timedelta(**span)
