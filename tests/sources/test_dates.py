"""Dates come out as the same instant, however they are written."""

from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.records.dates import parse_date

NOON = datetime(2024, 3, 7, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

zones = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
moments = st.datetimes(
    datetime(1602, 1, 1),  # noqa: DTZ001 - hypothesis wants bounds without zones
    datetime(2200, 1, 1),  # noqa: DTZ001 - hypothesis wants bounds without zones
    timezones=zones,
)


@pytest.mark.parametrize(
    "written",
    [
        "2024-03-07T12:00:00Z",
        "2024-03-07T12:00:00+00:00",
        "2024-03-07T14:30:00+02:30",
        "2024-03-07T12:00:00",
        "2024-03-07 12:00:00",
        "2024-03-07 12:00:00 UTC",
        " 2024-03-07T12:00Z\n",
        "20240307T120000Z",
        "20240307120000",
        "Thu, 07 Mar 2024 12:00:00 GMT",
        "Thu, 07 Mar 2024 07:00:00 EST",
        "7 Mar 2024 13:00:00 +0100",
        "Thu Mar 07 12:00:00 +0000 2024",
        "1709812800",
        "1709812800.0",
        "1709812800000",
        1709812800,
        1709812800.0,
        1709812800000,
        1709812800000.0,
        NOON,
        NOON.replace(tzinfo=None),
        NOON.astimezone(timezone(timedelta(hours=9))),
    ],
)
def test_every_way_to_write_noon_is_noon(written: object) -> None:
    parsed = parse_date(written)

    assert parsed == NOON
    assert parsed.tzinfo is UTC


@pytest.mark.parametrize("written", ["2024-03-07", "20240307", date(2024, 3, 7)])
def test_a_day_is_its_midnight_in_utc(written: object) -> None:
    assert parse_date(written) == datetime(2024, 3, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "yesterday", "2024-02-30", "2024-13-01", "2024-03-07T25:00", "12", "-",
        "Thu, 99 Mar 2024 12:00:00 GMT", "7 Mar 2024 12:00 +9999", "0001-01-01",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1" * 4000,
        True, [], {}, None, float("inf"), float("-inf"), float("nan"),
        10**15, -(10**15), 10**400, 1e300,
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match=r"^it is"):
        parse_date(written)


@given(moments)
def test_iso_dates_round_trip(moment: datetime) -> None:
    assert parse_date(moment.isoformat()) == moment


@given(moments)
def test_mail_dates_round_trip_to_the_second(moment: datetime) -> None:
    assert parse_date(format_datetime(moment)) == moment.replace(microsecond=0)


@given(moments)
def test_whole_seconds_since_1970_round_trip(moment: datetime) -> None:
    seconds = (moment - EPOCH) // timedelta(seconds=1)

    assert parse_date(seconds) == moment - (moment - EPOCH) % timedelta(seconds=1)


@given(moments.filter(lambda moment: moment.year >= 1974))
def test_milliseconds_since_1970_round_trip(moment: datetime) -> None:
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)

    assert abs(parse_date(milliseconds) - moment) < timedelta(milliseconds=1)


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none()))
def test_anything_else_is_a_value_error(value: object) -> None:
    try:
        parsed = parse_date(value)
    except ValueError:
        return
    assert parsed.utcoffset() == timedelta(0)
    assert parsed.year >= 1600
