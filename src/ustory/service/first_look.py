"""A look at the dates of a file before it is read: it may be old news."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from ustory.core.article import Article
from ustory.core.errors import UStoryError
from ustory.service.claimed_dates import FIRST, claim_of
from ustory.sources.files.growing import GrowingFiles
from ustory.sources.files.last_lines import last_articles
from ustory.sources.open import kind_of, open_source
from ustory.sources.records.cursor import STDIN

FEEDS = "feeds"
"""The kind of source that has no dates before it is fetched."""
MAX_LOOKED = 50
"""Articles that are looked at, at each end of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """The dates of the first and the last articles of a file or a folder."""

    name: str
    """As the user typed it."""
    first: tuple[datetime, ...] = ()
    """Dates of the first articles that have one."""
    last: tuple[datetime, ...] = ()
    """The same of the last ones, if finding them costs little."""
    undated: int = 0

    def is_old(self, window: timedelta, now: datetime) -> bool:
        """Return whether all dates are older than the window, and most have one."""
        dates = (*self.first, *self.last)
        old = all(date < now - window for date in dates)
        return old and len(dates) > self.undated

    def begins_old(self, window: timedelta, now: datetime) -> bool:
        """Return whether any of the first articles is older than the window."""
        return any(date < now - window for date in self.first)

    @property
    def year(self) -> int:
        """The year of the newest date; there must be one."""
        return max((*self.first, *self.last)).year


def look_at(where: str, now: datetime) -> FirstLook | None:
    """Return what the dates of a file or a folder are; None if it is neither.

    Pipes and topics are never looked at: what is read of them is gone. What cannot be
    read is reported by who reads it.
    """
    path = Path(where)
    there = path.is_file() or path.is_dir()
    if where == STDIN or not there or kind_of(where) == FEEDS:
        return None
    try:
        source = open_source(where, lambda error: None, now, live=True)
        first = _dates(each.article for each in islice(source.read(), MAX_LOOKED))
        growing = isinstance(source, GrowingFiles)
        ends = last_articles(path, lambda: now, MAX_LOOKED) if growing else []
    except (UStoryError, OSError):
        return FirstLook(name=where)
    last = _dates(ends)
    return FirstLook(
        name=where,
        first=tuple(date for date in first if date is not None),
        last=tuple(date for date in last if date is not None),
        undated=(*first, *last).count(None),
    )


def _dates(articles: Iterable[Article]) -> list[datetime | None]:
    """Return the dates that articles claim; one before the web is no date."""
    claims = [claim_of(article) for article in articles]
    return [None if each is None or each < FIRST else each for each in claims]
