"""Times as the API reads and writes them: RFC 3339, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

_FORM = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2})(?P<part>\.[0-9]+)?"
    r"(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_MICROSECONDS = 7  # of a second's parts, with the point


def parse_moment(text: str) -> datetime:
    """Return a day or a moment with its zone as aware UTC; a day is its midnight.

    Moments that are outside Python's calendar become its ends: the earliest there
    is, and the latest. Raises ValueError for anything else.

    >>> parse_moment("2024-03-07").isoformat()
    '2024-03-07T00:00:00+00:00'
    >>> parse_moment("2024-03-07T13:00:00.25+01:00").isoformat()
    '2024-03-07T12:00:00.250000+00:00'
    >>> parse_moment("0000-01-01T00:00:00Z") == parse_moment("0001-01-01")
    True
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(
            "must be a day, 2024-03-07, or a moment with its zone, 2024-03-07T12:00:00Z"
        )
    if found["day"].startswith("0000-"):
        date.fromisoformat("0004" + found["day"][4:])  # a leap year, as year 0 is
        return _FIRST
    if found["time"] is None:
        return datetime.fromisoformat(found["day"]).replace(tzinfo=UTC)
    clock, leap = found["time"], found["time"].endswith(":60")
    clock = f"{clock[:-2]}59" if leap else clock
    part = (found["part"] or "")[:_MICROSECONDS]
    zone = found["zone"].upper()
    moment = datetime.fromisoformat(f"{found['day']}T{clock}{part}{zone}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == 1 else _LAST
