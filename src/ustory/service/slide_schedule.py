"""Which slide an article belongs to: slides are opened and closed by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.store import Connection, Store
from ustory.store.articles import next_seq
from ustory.store.slides import close_slide, last_busy_end, recent_slides, start_slide
from ustory.store.tables import SlideRow
from ustory.window.panes import Calendar
from ustory.window.slides import quiet_ends

MAX_IN_SLIDE = 5_000
"""Articles after which a slide is closed early: the next goes on to the same end."""


def calendar_of(settings: Settings) -> Calendar:
    """Return the calendar of the settings; windows by number are refused."""
    calendar = Calendar.of(settings)
    if calendar is None:
        raise ConfigError(
            "a live service needs a window and a slide by time, such as 7d and 15m; "
            f"got {settings.window} and {settings.slide} articles"
        )
    return calendar


class SlideSchedule:
    """The slides of a database during one transaction that writes. Mutable.

    Which quiet slides count is the rule of `window.slides.quiet_ends`.
    """

    def __init__(
        self,
        connection: Connection,
        calendar: Calendar,
        max_articles: int = MAX_IN_SLIDE,
    ) -> None:
        self._connection = connection
        self._calendar = calendar
        self._slide = timedelta(microseconds=calendar.slide)
        self._max_articles = max_articles
        newest = recent_slides(connection, 1)
        self._last = newest[0] if newest else None
        self._busy: datetime | None = None
        """End of the last slide that has anything, once it was looked up."""

    def is_due(self, now: datetime) -> bool:
        """Say whether `close_due` would change anything."""
        last = self._last
        if last is None or last.status == "open":
            return last is not None and now >= last.end
        return next(self._quiet_ends(now), None) is not None

    def holds(self, seq: int) -> bool:
        """Say whether the open slide has anything; `seq` is the next number."""
        last = self._last
        return last is not None and last.status == "open" and last.first_seq < seq

    def slide_at(self, now: datetime, seq: int) -> SlideRow:
        """Return the open slide for what comes in at `now` as number `seq`."""
        last = self._last
        if last is not None and last.status == "open":
            if now < last.end and seq - last.first_seq < self._max_articles:
                return last
            self._close(last, seq)
        self._pass_quiet(now, seq)
        return self._start(now, seq)

    def close_due(self, now: datetime, seq: int) -> None:
        """Close the slides that are over at `now`; `seq` is the next number."""
        last = self._last
        if last is not None and last.status == "open" and now >= last.end:
            self._close(last, seq)
        self._pass_quiet(now, seq)

    def close_open(self, seq: int) -> None:
        """Close the open slide before its time, where it has anything."""
        if self._last is not None and self.holds(seq):
            self._close(self._last, seq)

    def _close(self, slide: SlideRow, seq: int) -> None:
        close_slide(self._connection, slide.number, seq - 1)
        if slide.first_seq < seq:
            self._busy = slide.end
        self._last = replace(slide, status="closed", last_seq=seq - 1)

    def _start(self, now: datetime, seq: int) -> SlideRow:
        last = self._last
        end = self._calendar.slide_end(now)
        if last is not None and now < last.end:
            end = last.end  # closed before its time, or the clock went back
        self._last = start_slide(self._connection, end - self._slide, end, seq)
        return self._last

    def _pass_quiet(self, now: datetime, seq: int) -> None:
        """Open and close the slides behind the last one in which nothing came."""
        if self._last is None or self._last.status == "open":
            return
        for end in self._quiet_ends(now):
            quiet = start_slide(self._connection, self._last.end, end, seq)
            self._close(quiet, seq)

    def _quiet_ends(self, now: datetime) -> Iterator[datetime]:
        """Yield the ends of the quiet slides that are over at `now`."""
        if self._busy is None:
            self._busy = self._busy_until()
        if self._last is None or self._busy is None:
            return iter(())
        return quiet_ends(self._calendar, self._last.end, self._busy, now)

    def _busy_until(self) -> datetime | None:
        """Return the end of the last slide that has anything."""
        return last_busy_end(self._connection)


def close_open(store: Store, calendar: Calendar) -> bool:
    """Close the open slide before its time; return whether it had anything."""
    with store.read() as connection:
        wanted = SlideSchedule(connection, calendar).holds(next_seq(connection))
    if wanted:
        with store.write() as connection:
            SlideSchedule(connection, calendar).close_open(next_seq(connection))
    return wanted
