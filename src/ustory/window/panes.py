"""Panes and slides: which stretch of the stream an article belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ustory.core.settings import Settings
from ustory.core.spans import EPOCH, microseconds

_DAY = microseconds(timedelta(days=1))


@dataclass(frozen=True, slots=True)
class Calendar:
    """Arithmetic of windows by time; everything is aligned to the epoch, UTC.

    All lengths are in microseconds, so that nothing is ever rounded.
    """

    window: int
    slide: int
    pane: int

    @classmethod
    def of(cls, settings: Settings) -> Calendar | None:
        """Return the calendar of the settings, None for windows by articles."""
        window, slide, pane = settings.window, settings.slide, settings.pane_size
        if isinstance(window, int) or isinstance(slide, int) or isinstance(pane, int):
            return None
        return cls(microseconds(window), microseconds(slide), microseconds(pane))

    def pane_of(self, moment: datetime) -> int:
        """Return the number of the pane that holds `moment`."""
        return microseconds(moment - EPOCH) // self.pane

    def slide_end(self, moment: datetime) -> datetime:
        """Return the exclusive end of the slide that holds `moment`."""
        return self._at((microseconds(moment - EPOCH) // self.slide + 1) * self.slide)

    def next_end(self, end: datetime) -> datetime:
        """Return the end of the slide after the one that ends at `end`."""
        return end + timedelta(microseconds=self.slide)

    def first_pane(self, end: datetime) -> int:
        """Return the oldest pane of the window that ends at `end`."""
        return self.pane_of(end - timedelta(microseconds=self.window))

    def last_pane(self, end: datetime) -> int:
        """Return the newest pane of the window that ends at `end`."""
        return self.pane_of(end) - 1

    def day_of(self, pane: int) -> float:
        """Return a pane's time t_p, in days since the epoch."""
        return pane * self.pane / _DAY

    def _at(self, since_epoch: int) -> datetime:
        return EPOCH + timedelta(microseconds=since_epoch)


def day_of(moment: datetime) -> float:
    """Return a moment in days since the epoch."""
    return microseconds(moment - EPOCH) / _DAY
