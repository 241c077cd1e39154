"""The dates that publishers claim, held against the time at which articles come in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ustory.core.article import Article
from ustory.core.spans import EPOCH
from ustory.sources.odd_dates import is_years_off

OLDEST = timedelta(days=3_653)
"""Ten years: news does not claim to be older."""

FIRST = datetime(1990, 1, 1, tzinfo=UTC)
"""Nor to be older than the web."""

SKEW = timedelta(minutes=5)
"""By how much a publisher's clock may be ahead without a word about it."""

FUTURE, OLD, MISSING, BACKDATED = "future", "old", "missing", "backdated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """When an article counts as published, and what was claimed."""

    published_at: datetime
    claimed_at: datetime | None
    """The publisher's own date, None where there was none."""
    flag: str | None
    """`future`, `old` or `missing` where the claim is not believed; `backdated` where
    it counts, but its feed had been read since then without the article."""
    fetched_at: datetime


def claim_of(article: Article) -> datetime | None:
    """Return the date that the publisher claims, None where there is none.

    A source that finds no date says that the article was published when it was
    fetched; the zero of computers' calendars is no date either.
    """
    claim = article.published_at.astimezone(UTC)
    return None if claim in (article.fetched_at, EPOCH) else claim


def dates_of(
    article: Article,
    now: datetime,
    oldest: timedelta = OLDEST,
    window: timedelta = timedelta.max,
) -> Dates:
    """Return the dates of an article that comes in at `now`.

    A claim in the future becomes now. One from too long ago, or of the right day in a
    wrong year, is no date: as where there is none, the article is as old as its
    fetching.
    """
    fetched = min(article.fetched_at or now, now)
    floor = max(now - oldest, FIRST)
    claim = claim_of(article)
    flag = _flag_of(claim, now, floor, window)
    used = claim if claim is not None and flag in (None, FUTURE) else fetched
    return Dates(
        published_at=max(min(used, now), floor),
        claimed_at=claim,
        flag=flag,
        fetched_at=fetched,
    )


def as_claimed(dates: Dates) -> Dates:
    """Return dates of long ago as they were claimed, for those who bring an archive."""
    assert dates.claimed_at is not None
    return replace(dates, published_at=max(dates.claimed_at, FIRST))


def _flag_of(
    claim: datetime | None, now: datetime, floor: datetime, window: timedelta
) -> str | None:
    if claim is None:
        return MISSING
    if claim > now + SKEW:
        return FUTURE
    wrong_year = now - claim > window and is_years_off(claim, now, window)
    return OLD if claim < floor or wrong_year else None
