"""Tells from the rows how long the window of a run was, and refuses another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import groupby

from ustory.core.errors import ConfigError
from ustory.core.spans import format_span
from ustory.scores.slides import Row, on_calendar

_UNITS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1))


def of_window(
    rows: Iterable[Row],
    dates: Mapping[str, datetime],
    window: timedelta,
    slide: timedelta,
) -> Iterator[Row]:
    """Yield the rows; at their end, raise ConfigError if `window` was not the run's.

    An article is listed while it is younger than the window, so every listing says
    how long the window was at least, and every article that is no longer listed how
    long at most. `dates` are the publication dates; an article without one says
    nothing.
    """
    listed_for, gone_by, timely = timedelta(0), timedelta.max, False
    before: set[str] = set()
    for end, group in groupby(rows, key=lambda row: row.slide_end):
        now: set[str] = set()
        for row in group:
            now.add(row.article)
            yield row
        listed_for = max([listed_for, *_ages(now, dates, end)])
        gone_by = min([gone_by, *_ages(before - now, dates, end)])
        before, timely = now, timely or on_calendar(end, slide)
    # Windows that never end on the calendar have another fault, told elsewhere.
    if timely and not listed_for <= window < gone_by:
        raise _other_window(window, _likely(listed_for, gone_by, slide))


def _ages(
    articles: Iterable[str], dates: Mapping[str, datetime], end: datetime
) -> Iterator[timedelta]:
    return (end - dates[article] for article in articles if article in dates)


def _likely(least: timedelta, under: timedelta, slide: timedelta) -> str | None:
    """Return the roundest window between the bounds, None if there is none."""
    for unit in (slide, *_UNITS):
        window = -(-least // unit) * unit
        if timedelta(0) < window < under:
            return format_span(window)
    return None


def _other_window(window: timedelta, likely: str | None) -> ConfigError:
    given = f"--window is {format_span(window)}"
    if likely is None:
        return ConfigError(
            f"{given}, but articles are listed for longer or shorter than that; "
            "pass the --window of the run, and the stream it was made from"
        )
    return ConfigError(
        f"{given}, but these assignments look like a window of {likely}; "
        f"pass --window {likely}"
    )
