"""Times, numbers and addresses as pages write them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from urllib.parse import quote, urlencode

from ustory.web.pages.reader_zone import moment_in


def story_path(story: str) -> str:
    """Return the address of a story's page.

    >>> story_path("s000001")
    '/stories/s000001'
    """
    return f"/stories/{quote(story, safe='')}"


def article_path(article: str) -> str:
    """Return the address of an article's page; its id may hold any character.

    >>> article_path("https://a.example/?b=1")
    '/articles/https%3A%2F%2Fa.example%2F%3Fb%3D1'
    """
    return f"/articles/{quote(article, safe='')}"


def with_query(path: str, asked: Mapping[str, object]) -> str:
    """Return an address with a query, without what is empty.

    >>> with_query("/", {"q": "a b", "lang": "", "page": None})
    '/?q=a+b'
    """
    given = {name: value for name, value in asked.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WEEK = 7
"""After this many days the date is shown instead of weekday and time."""


def ago(moment: datetime, now: datetime, zone: tzinfo = UTC) -> str:
    """Return when a moment was, as short as it can be without hiding hours.

    How long ago within a day, weekday and time within a week, then its date.
    `times.js` has the same rules.

    >>> from datetime import timedelta
    >>> now = datetime(2024, 3, 7, 12, tzinfo=UTC)
    >>> ago(now - timedelta(hours=5), now), ago(now + timedelta(minutes=3), now)
    ('5 h ago', 'in 3 min')
    >>> ago(now - timedelta(hours=25), now), ago(now - timedelta(hours=47), now)
    ('Wed 11:00', 'Tue 13:00')
    >>> ago(datetime(2023, 1, 2, tzinfo=UTC), now)
    '2 Jan 2023'
    """
    seconds = (now - moment).total_seconds()
    span = abs(seconds)
    at = moment_in(zone, moment)
    if span >= _WEEK * _DAY:
        return short_day(at.date(), moment_in(zone, now))
    if seconds >= _DAY:
        return f"{at:%a %H:%M}"
    if span < _MINUTE:
        return "just now"
    span_text = (
        f"{span // _DAY:.0f} d"
        if span >= _DAY
        else f"{span // _HOUR:.0f} h"
        if span >= _HOUR
        else f"{span // _MINUTE:.0f} min"
    )
    return f"{span_text} ago" if seconds > 0 else f"in {span_text}"


def short_day(day: date, now: datetime) -> str:
    """Return a day, with its year unless that is the current one.

    >>> short_day(date(2024, 3, 5), datetime(2024, 3, 7, tzinfo=UTC))
    '5 Mar'
    """
    year = "" if day.year == now.year else f" {day.year}"
    return f"{day.day} {day:%b}{year}"


def full_day(day: date) -> str:
    """Return a day without its weekday.

    >>> full_day(date(2024, 3, 5))
    '5 March 2024'
    """
    return f"{day.day} {day:%B %Y}"


def long_day(day: date) -> str:
    """Return a day in full.

    >>> long_day(date(2024, 3, 5))
    'Tuesday, 5 March 2024'
    """
    return f"{day:%A}, {full_day(day)}"


def number(value: float) -> str:
    """Return a number as people read it.

    >>> number(12345), number(7.25), number(0.5)
    ('12,345', '7.2', '0.5')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
