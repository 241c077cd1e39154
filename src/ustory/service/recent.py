"""What came in last: by it the dates that articles claim are believed, or not."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property

from ustory.service.claimed_dates import (
    BACKDATED,
    FUTURE,
    OLD,
    SKEW,
    Dates,
    as_claimed,
)
from ustory.sources.origins import is_feed, reporter
from ustory.store import Connection
from ustory.store.articles import newest_articles
from ustory.store.feeds import feed
from ustory.store.tables import ArticleRow

MAX_RECENT = 200
"""Articles that are looked back at."""

CONFIRMED = 3
"""Articles that must agree on a date far ahead, and sources where there are so many."""


class Recent:
    """The last articles that came in, those of the batch included. Mutable.

    They are read when somebody asks: most batches of a service by the wall do not.
    """

    def __init__(self, connection: Connection, window: timedelta, origin: str) -> None:
        """Look on behalf of an origin."""
        self._connection = connection
        self.window = window
        self._origin = origin
        self._batch: list[ArticleRow] = []
        self._known: deque[ArticleRow] | None = None

    def add(self, row: ArticleRow) -> None:
        """Take note of an article that comes in."""
        self._batch.append(row)

    @property
    def _rows(self) -> deque[ArticleRow]:
        if self._known is None:
            rows = newest_articles(self._connection, MAX_RECENT)
            self._known = deque(reversed(rows), MAX_RECENT)
        self._known.extend(self._batch)
        self._batch.clear()
        return self._known

    @cached_property
    def _heard(self) -> datetime | None:
        """When the origin was read before; only feeds are read again and again."""
        known = feed(self._connection, self._origin) if is_feed(self._origin) else None
        return None if known is None else known.last_ok

    def can_move(self, claim: datetime, source: str | None) -> bool:
        """Say whether one article's claim may move the clock of a stream.

        It may as far as the bound beyond what other sources say; beyond that several
        articles have to agree, of several sources where the stream has them: a
        stream may have a gap, but one date that is far off must not end it. Within a
        window of it what others bring is still told. The first article of all is
        believed.
        """
        voice = reporter(source, self._origin)
        newest = self._newest_but(voice)
        if newest is None or claim <= newest + self.window:
            return True
        near = [r for r in self._rows if r.date_flag == FUTURE and self._by(r, claim)]
        heard = {_voice(row) for row in self._rows} | {voice}
        agree = {_voice(row) for row in near} | {voice}
        enough = len(agree) >= min(CONFIRMED, len(heard))
        return len(near) + 1 >= CONFIRMED and enough

    def checked(self, dates: Dates) -> Dates:
        """Return dates as far as they are believed, for what the origin brings."""
        if dates.flag == OLD and self.brings_archive():
            return as_claimed(dates)
        claim = dates.claimed_at
        if claim is not None and dates.flag is None and self.is_backdated(claim):
            return replace(dates, flag=BACKDATED)
        return dates

    def brings_archive(self) -> bool:
        """Say whether the origin brings many articles of long ago, and means it.

        A feed brings news: its dates of long ago are wrong, be they few or all. Files,
        topics and keys may bring an archive, and one odd date is no archive.
        """
        if is_feed(self._origin):
            return False
        own = [row for row in self._rows if row.origin == self._origin]
        old = sum(row.date_flag == OLD for row in own)
        return old >= CONFIRMED and 2 * old > len(own)

    def is_backdated(self, claim: datetime) -> bool:
        """Say whether the origin was read since a date, without the article.

        Such a date may be true, but it does not prove who was first. Files, topics
        and keys are the operator's own, and bring articles in any order.
        """
        return self._heard is not None and claim < self._heard - SKEW

    def _newest_but(self, voice: str | None) -> datetime | None:
        """Return the newest date of other sources; of all where there are no others."""
        dates = [r for r in self._rows if r.date_flag != FUTURE]
        others = [row for row in dates if _voice(row) != voice]
        found = [row.published_at for row in others or dates]
        return max(found, default=None)

    def _by(self, row: ArticleRow, claim: datetime) -> bool:
        claimed = row.claimed_at
        return claimed is not None and abs(claimed - claim) <= self.window


def _voice(row: ArticleRow) -> str | None:
    return reporter(row.source, row.origin)
