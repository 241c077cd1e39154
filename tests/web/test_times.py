"""Every date that RFC 3339 allows is read, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.wording import utc_text
from ustory.web.times import parse_moment

zones = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))


@given(st.datetimes(timezones=zones))
def test_what_is_written_with_any_zone_is_read(moment: datetime) -> None:
    read = parse_moment(moment.isoformat())

    assert read.tzinfo is UTC
    try:
        assert read == moment.astimezone(UTC)
    except OverflowError:
        assert read.year in (1, 9999)


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_we_write_is_read_back(moment: datetime) -> None:
    assert utc_text(moment).endswith("Z")
    assert parse_moment(utc_text(moment)) == moment


@pytest.mark.parametrize(
    "text",
    ["", "now", "1709812800", "2024-13-01", "2024-02-30T00:00:00Z",
     "2024-03-07T12:00:00", "2024-3-7", "0000-02-31", "2024-03-07T12:00:00Z\n",
     "٢٠٢٤-03-07"],
)  # fmt: skip
def test_what_is_no_date_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w+"):
        parse_moment(text)


def test_a_leap_second_is_the_second_before_it() -> None:
    assert parse_moment("2016-12-31T23:59:60Z").second == 59


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert parse_moment(text).tzinfo is UTC
