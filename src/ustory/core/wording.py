"""Numbers, times and lists as people and programs read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo


def many(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun.

    >>> many(1, "article"), many(2000, "story", "stories")
    ('1 article', '2,000 stories')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """Return words as an enumeration.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def percent(share: float) -> str:
    """Return a share in percent; only 0 and 1 are written as 0 and 100 %.

    >>> percent(0.123), percent(0.999), percent(0.001), percent(1), percent(0)
    ('12 %', 'over 99 %', 'under 1 %', '100 %', '0 %')
    """
    if 0 < share <= 0.005:  # would be rounded to 0 %
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def exact(moment: datetime, zone: tzinfo = UTC) -> str:
    """Return a moment in full, to the minute, with its zone.

    >>> exact(datetime(2024, 3, 7, 12, 5, tzinfo=UTC))
    '7 March 2024, 12:05 UTC'
    """
    try:
        at = moment.astimezone(zone)
    except OverflowError:  # at the ends of Python's calendar
        at = moment.astimezone(UTC)
    return f"{at.day} {at:%B %Y, %H:%M} {zone_letters(at)}"


def zone_letters(at: datetime) -> str:
    """Return the zone of a moment as people write it: CET, or UTC+5:30.

    >>> from datetime import timezone
    >>> zone_letters(datetime(2024, 3, 7, tzinfo=timezone(timedelta(minutes=-210))))
    'UTC-3:30'
    """
    name, offset = at.tzname() or "", at.utcoffset() or timedelta()
    if name.isalpha():
        return name
    minutes = offset // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "")


def utc_text(moment: datetime) -> str:
    """Return an aware time as files and the API write it (RFC 3339, UTC).

    >>> utc_text(datetime(2024, 3, 11, tzinfo=UTC))
    '2024-03-11T00:00:00Z'
    """
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
