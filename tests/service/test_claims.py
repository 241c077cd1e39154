"""Dates that publishers claim are kept, and believed within reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.spans import EPOCH
from ustory.service.claimed_dates import (
    FIRST,
    OLDEST,
    as_claimed,
    claim_of,
    dates_of,
)

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)


def claiming(claim: datetime, fetched: datetime | None = None) -> Article:
    return Article(id="a", published_at=claim, fetched_at=fetched, title="A storm")


def test_a_date_of_yesterday_is_believed() -> None:
    claim = NOW - timedelta(days=1)
    dates = dates_of(claiming(claim), NOW)
    assert (dates.published_at, dates.claimed_at, dates.flag) == (claim, claim, None)
    assert dates.fetched_at == NOW


def test_a_date_in_the_future_becomes_now_and_is_flagged() -> None:
    claim = NOW + timedelta(days=3)
    dates = dates_of(claiming(claim), NOW)
    assert (dates.published_at, dates.claimed_at) == (NOW, claim)
    assert dates.flag == "future"


def test_a_publishers_clock_may_be_a_minute_ahead() -> None:
    dates = dates_of(claiming(NOW + timedelta(minutes=1)), NOW)
    assert (dates.published_at, dates.flag) == (NOW, None)


@pytest.mark.parametrize("year", [1600, 1971, 1989, 2010])
def test_a_date_of_long_ago_is_none_and_the_article_is_as_old_as_its_fetching(
    year: int,
) -> None:
    claim = datetime(year, 1, 1, tzinfo=UTC)
    fetched = NOW - timedelta(minutes=3)
    dates = dates_of(claiming(claim, fetched), NOW)
    assert (dates.published_at, dates.claimed_at) == (fetched, claim)
    assert dates.flag == "old"


def test_who_brings_an_archive_may_claim_what_is_as_old_as_the_web() -> None:
    for year, used in ((2010, datetime(2010, 1, 1, tzinfo=UTC)), (1950, FIRST)):
        dates = dates_of(claiming(datetime(year, 1, 1, tzinfo=UTC)), NOW)
        assert as_claimed(dates).published_at == used
        assert as_claimed(dates).flag == "old"


@pytest.mark.parametrize(
    ("claim", "flag"),
    [
        (datetime(2023, 3, 7, 9, tzinfo=UTC), "old"),
        (datetime(2023, 3, 1, tzinfo=UTC), "old"),
        (datetime(2019, 3, 5, tzinfo=UTC), "old"),
        (datetime(2023, 2, 1, tzinfo=UTC), None),
        (datetime(2024, 2, 1, tzinfo=UTC), None),
    ],
)
def test_the_right_day_in_a_wrong_year_is_no_date(
    claim: datetime, flag: str | None
) -> None:
    dates = dates_of(claiming(claim), NOW, window=timedelta(days=7))
    assert dates.flag == flag
    assert dates.published_at == (claim if flag is None else NOW)


@pytest.mark.parametrize("nothing", [NOW - timedelta(hours=2), EPOCH])
def test_an_article_without_a_date_is_as_old_as_its_fetching(nothing: datetime) -> None:
    fetched = NOW - timedelta(hours=2)
    article = claiming(nothing, fetched)
    dates = dates_of(article, NOW)
    assert claim_of(article) is None
    assert (dates.published_at, dates.claimed_at) == (fetched, None)
    assert dates.flag == "missing"


def test_a_claim_in_another_zone_is_the_same_moment() -> None:
    claim = datetime(2024, 3, 7, 12, tzinfo=timezone(timedelta(hours=2)))
    dates = dates_of(claiming(claim), NOW)
    assert dates.published_at == NOW - timedelta(hours=2)
    assert dates.published_at.utcoffset() == timedelta()


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_whatever_is_claimed_the_date_is_possible(
    claim: datetime, fetched: datetime
) -> None:
    dates = dates_of(claiming(claim, fetched), NOW)
    assert NOW - OLDEST <= dates.published_at <= NOW
    assert dates.fetched_at <= NOW
