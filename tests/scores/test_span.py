"""The rows of a run tell how long its window was."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.scores.windows import AssignmentRow, of_window

DAY = timedelta(days=1)
START = datetime(2024, 3, 1, tzinfo=UTC)


def listed(dates: dict[str, datetime], window: timedelta) -> list[AssignmentRow]:
    """List what a run with this window and slides of a day would."""
    ends = [START + n * DAY for n in range(1, 15)]
    return [
        AssignmentRow(end, article, None)
        for end in ends
        for article, date in dates.items()
        if end - window <= date < end
    ]


def check(
    rows: Iterable[AssignmentRow], dates: dict[str, datetime], window: timedelta
) -> None:
    assert list(of_window(rows, dates, window, DAY)) == list(rows)


@given(
    st.lists(st.integers(0, 10 * 24), min_size=1, max_size=9),
    st.integers(24, 24 * 8),
)
def test_the_window_of_the_run_is_never_refused(hours: list[int], width: int) -> None:
    dates = {str(n): START + timedelta(hours=h) for n, h in enumerate(hours)}
    window = timedelta(hours=width)

    check(listed(dates, window), dates, window)


HOURLY = {str(hour): START + timedelta(hours=hour) for hour in range(240)}


@pytest.mark.parametrize("given", [2, 3, 5, 7])
@pytest.mark.parametrize("run", [2, 3, 5, 7])
def test_any_other_is_refused_with_the_right_one(run: int, given: int) -> None:
    rows = listed(HOURLY, run * DAY)

    if run == given:
        check(rows, HOURLY, given * DAY)
        return
    with pytest.raises(ConfigError, match=f"like a window of {run}d; pass --window"):
        check(rows, HOURLY, given * DAY)


def test_articles_without_a_date_say_nothing() -> None:
    check(listed(HOURLY, 3 * DAY), {}, 7 * DAY)


def test_rows_of_no_single_window_are_refused_without_a_guess() -> None:
    rows = listed(HOURLY, 3 * DAY)[:-1]  # the last slide lost an article
    rows = [row for row in rows if row.slide_end != rows[-1].slide_end] + [
        AssignmentRow(rows[-1].slide_end, "0", None)
    ]

    with pytest.raises(ConfigError, match="listed for longer or shorter"):
        check(rows, HOURLY, 3 * DAY)
