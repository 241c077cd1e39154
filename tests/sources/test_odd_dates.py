"""Dates that cannot be right are replaced, and all others stay as they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.spans import EPOCH
from ustory.sources.odd_dates import AGREE, LONGEST_GAP, OddDates, is_years_off

START = datetime(2024, 3, 4, tzinfo=UTC)
WEEK = timedelta(days=7)
DAY = timedelta(days=1)


def dated(*dates: datetime) -> list[Article]:
    return [
        Article(id=f"a{n}", published_at=date, title="T")
        for n, date in enumerate(dates)
    ]


def settled(*dates: datetime, newest: datetime | None = None) -> list[datetime]:
    """Return the dates that articles get, in the order they came."""
    odd: OddDates[Article] = OddDates(WEEK, newest)
    found = [each for article in dated(*dates) for each in odd.push(article)]
    found += odd.flush()
    assert not odd.pending
    assert [each.id for each in found] == [f"a{n}" for n in range(len(dates))]
    return [each.published_at for each in found]


@given(st.lists(st.integers(0, 24 * 40), min_size=1, max_size=12))
def test_articles_in_order_keep_their_dates_whatever_their_gaps(
    hours: list[int],
) -> None:
    dates = [START]
    for hour in hours:
        dates.append(dates[-1] + timedelta(hours=hour))

    assert settled(*dates) == dates


@pytest.mark.parametrize("days", [9, 365, 27_400])
def test_a_date_far_ahead_is_wrong_once_the_stream_goes_back(days: int) -> None:
    ahead = START + timedelta(days=days)

    found = settled(START, START + DAY, ahead, START + 2 * DAY)

    assert found == [START, START + DAY, START + DAY, START + 2 * DAY]


@pytest.mark.parametrize("days", [1, 6])
def test_a_date_a_little_ahead_stays(days: int) -> None:
    dates = [START, START + days * DAY, START + DAY / 2]

    assert settled(*dates) == dates


def test_a_gap_is_passed_when_three_agree_and_nothing_is_dated_anew() -> None:
    dates = [START, START + DAY, *(START + timedelta(days=90 + n) for n in range(4))]
    odd: OddDates[Article] = OddDates(WEEK)
    passed = [len(odd.push(each)) for each in dated(*dates)]

    assert passed == [0, 2, 0, 0, AGREE, 1]
    assert settled(*dates) == dates


@pytest.mark.parametrize(
    ("wrong", "kept"),
    [
        (EPOCH, False),
        (datetime(1970, 1, 2, tzinfo=UTC), False),
        (datetime(2003, 5, 1, tzinfo=UTC), False),
        (datetime(2023, 3, 5, tzinfo=UTC), False),
        (datetime(2021, 3, 4, 6, tzinfo=UTC), False),
        (datetime(2023, 9, 1, tzinfo=UTC), True),
        (datetime(2024, 2, 20, tzinfo=UTC), True),
    ],
)
def test_a_date_of_long_ago_or_of_another_year_is_wrong(
    wrong: datetime, kept: bool
) -> None:
    found = settled(START, START + DAY, wrong, START + 2 * DAY)

    assert found[2] == (wrong if kept else START + DAY)
    assert found[3] == START + 2 * DAY


@pytest.mark.parametrize("year", [1971, 2023, 2025, 2099])
def test_the_first_article_may_be_the_one_that_is_wrong(year: int) -> None:
    wrong = datetime(year, 3, 4, 5, tzinfo=UTC)

    found = settled(wrong, START, START + DAY, START + 2 * DAY)

    assert found == [START, START, START + DAY, START + 2 * DAY]


def test_the_first_of_a_stream_with_a_gap_behind_it_is_believed() -> None:
    dates = [START, START + 10 * DAY, START + 11 * DAY]

    assert settled(*dates) == dates


@pytest.mark.parametrize(("days", "kept"), [(30, True), (365, False)])
def test_at_the_end_of_a_stream_a_gap_is_believed_and_a_year_is_not(
    days: int, kept: bool
) -> None:
    last = START + timedelta(days=days)

    found = settled(START, START + DAY, last)

    assert found[2] == (last if kept else START + DAY)
    assert timedelta(days=30) < LONGEST_GAP < timedelta(days=365)


def test_a_run_that_goes_on_knows_how_far_the_stream_was() -> None:
    found = settled(START + 365 * DAY, START + DAY, newest=START)

    assert found == [START, START + DAY]


def test_a_date_without_a_zone_is_left_to_those_who_refuse_it() -> None:
    odd: OddDates[Article] = OddDates(WEEK)
    (naive,) = dated(datetime(2024, 3, 4))  # noqa: DTZ001 - on purpose

    assert odd.push(naive) == [naive]
    assert odd.moment(naive.published_at) == naive.published_at


def test_a_leap_day_has_a_day_in_other_years() -> None:
    leap = datetime(2020, 2, 29, tzinfo=UTC)

    assert is_years_off(leap, datetime(2023, 3, 1, tzinfo=UTC), WEEK)
    assert not is_years_off(leap, datetime(2023, 6, 1, tzinfo=UTC), WEEK)


def test_a_new_text_does_not_lead_the_stream_away() -> None:
    odd: OddDates[Article] = OddDates(WEEK, START)

    assert odd.moment(START + 3 * DAY) == START + 3 * DAY
    assert odd.moment(START + 365 * DAY) == START


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_are_no_error(year: int) -> None:
    end = datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, tzinfo=UTC)

    assert not is_years_off(START, end, WEEK)
    assert settled(end, end, START, end, START)[0] == end
