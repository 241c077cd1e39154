"""The time zone in which pages are written: UTC, or the one that a cookie names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

ZONE_COOKIE = "ustory-zone"
LOCAL = "local:"
"""Before the name of a zone that the browser gave; a chosen one is its name alone."""
MAX_NAME = 64
_FORM = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
_SAME_AS_UTC = frozenset(
    [
        *("UTC", "UCT", "Universal", "Zulu", "GMT", "GMT0", "Greenwich"),
        *("Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Etc/GMT"),
        *("Etc/GMT0", "Etc/Greenwich"),
    ]
)
_NO_ZONES = frozenset(("Factory", "localtime", "posixrules"))


@dataclass(frozen=True, slots=True)
class ReaderZone:
    """A time zone by its name, such as Europe/Berlin."""

    name: str = "UTC"
    is_local: bool = False
    """Whether it is that of the reader's machine; else it was chosen, or is unknown."""

    @classmethod
    def of(cls, cookie: str | None) -> ReaderZone:
        """Return the zone of a cookie; UTC unless the cookie names one that exists.

        >>> ReaderZone.of("local:Europe/Berlin").name, ReaderZone.of("../etc").name
        ('Europe/Berlin', 'UTC')
        """
        given = (cookie or "").strip('"')
        name = given.removeprefix(LOCAL)
        if name in _SAME_AS_UTC:
            return cls("UTC", given != name)
        return cls(name, given != name) if is_zone(name) else cls()

    @property
    def info(self) -> tzinfo:
        """The rules of the zone."""
        return UTC if self.name == "UTC" else ZoneInfo(self.name)

    @property
    def is_utc(self) -> bool:
        """Whether its days are those that the store counts by."""
        return self.name == "UTC"

    @property
    def cookie(self) -> str:
        """The value of the cookie."""
        return f"{LOCAL if self.is_local else ''}{self.name}"

    def day(self, moment: datetime) -> date:
        """Return the day of a moment in this zone.

        >>> ReaderZone("Asia/Tokyo").day(datetime(2024, 3, 7, 20, tzinfo=UTC))
        datetime.date(2024, 3, 8)
        """
        return moment_in(self.info, moment).date()


def moment_in(zone: tzinfo, moment: datetime) -> datetime:
    """Return a moment in a zone; in UTC at the ends of Python's calendar."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.astimezone(UTC)


def is_zone(name: str) -> bool:
    """Return whether a text is the name of a zone; nothing else is ever opened.

    >>> is_zone("America/New_York"), is_zone("/etc/passwd"), is_zone("Mars/Base")
    (True, False, False)
    """
    return (
        len(name) <= MAX_NAME
        and _FORM.fullmatch(name) is not None
        and name in zone_names()
    )


def zone_named(text: str) -> str | None:
    """Return the zone that somebody means: case and spaces do not matter.

    The last part of a name is enough if only one zone has it.

    >>> zone_named("europe/berlin"), zone_named("new york"), zone_named("nowhere")
    ('Europe/Berlin', 'America/New_York', None)
    """
    wanted = "_".join(text.split()).casefold()
    if not wanted or len(wanted) > MAX_NAME:
        return None
    whole = [name for name in zone_names() if name.casefold() == wanted]
    if whole:
        return min(whole)
    parts = [n for n in zone_names() if n.casefold().rpartition("/")[2] == wanted]
    return parts[0] if len(parts) == 1 else None


@cache
def zone_names() -> frozenset[str]:
    """Return the names of all zones there are."""
    found = available_timezones() - _NO_ZONES
    return frozenset(name for name in found if _FORM.fullmatch(name))
