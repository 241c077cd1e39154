"""Panes and slides of the calendar.

day     1   2   3   4   5   6   7   8
slide   |---|---|---|---|---|---|---|
window  [               W               )  ends at the end of a slide
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ustory.core.settings import Settings
from ustory.window.panes import Calendar


def calendar(**changes: object) -> Calendar:
    found = Calendar.of(Settings(**changes))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_slides_end_at_midnight_utc() -> None:
    noon = datetime(2024, 3, 10, 12, tzinfo=UTC)
    midnight = datetime(2024, 3, 11, tzinfo=UTC)
    assert calendar().slide_end(noon) == midnight
    assert calendar().slide_end(midnight) == midnight + timedelta(days=1)


def test_a_window_holds_its_panes_and_no_other() -> None:
    days = calendar(window="7d", slide="6h")
    end = datetime(2024, 3, 11, tzinfo=UTC)
    first, last = days.first_pane(end), days.last_pane(end)
    assert last - first + 1 == 28
    assert days.pane_of(end - timedelta(days=7)) == first
    assert days.pane_of(end - timedelta(microseconds=1)) == last
    assert days.pane_of(end) == last + 1
    assert days.day_of(last) - days.day_of(first) == pytest.approx(6.75)


def test_a_slide_that_does_not_divide_the_day_is_counted_from_the_epoch() -> None:
    days = calendar(window="10h", slide="5h")
    end = days.slide_end(datetime(1970, 1, 1, 7, tzinfo=UTC))
    assert end == datetime(1970, 1, 1, 10, tzinfo=UTC)


def test_windows_by_number_have_no_calendar() -> None:
    assert Calendar.of(Settings(mode="paper", window=20, slide=5)) is None
