"""The dates that publishers claim, held against the time at which articles come in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ustory.core.article import Article
from ustory.core.spans import EPOCH

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


def dates_of(article: Article, now: datetime, oldest: timedelta = OLDEST) -> Dates:
    """Return the dates of an article that comes in at `now`.

    A claim in the future becomes now, one from too long ago the oldest date there
    may be, and where there is none the article is as old as its fetching.
    """
    fetched = min(article.fetched_at or now, now)
    floor = max(now - oldest, FIRST)
    claim = claim_of(article)
    flag = MISSING if claim is None else None
    if claim is not None and not floor <= claim <= now + SKEW:
        flag = FUTURE if claim > now else OLD
    return Dates(
        published_at=max(min(claim or fetched, now), floor),
        claimed_at=claim,
        flag=flag,
        fetched_at=fetched,
    )
