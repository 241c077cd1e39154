"""The days of a story in the reader's zone, each counted over its own articles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from ustory.store import Connection
from ustory.store.articles import articles_by_id
from ustory.store.listing import days_of_story
from ustory.store.story_articles import StoryArticle, newest_of_story
from ustory.store.tables import StoryDay
from ustory.stories.rows import day_start, independent_sources
from ustory.web.models.stories import ArticleOut, DayOut
from ustory.web.pages.reader_zone import ReaderZone

DAYS = 60
"""Days that are shown, the newest."""
MAX_COUNTED = 5_000
"""Articles of a story that are counted, the newest; days before are as stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneDay:
    """A day of a story in a zone, before its central article is read."""

    day: date
    articles: int
    sources: int
    keywords: tuple[str, ...] = ()
    central: str | None = None
    """The article that tells of it, by its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDays:
    """The days of a story for its page."""

    days: Sequence[DayOut]
    """The oldest first."""
    counts: Mapping[date, int]
    """Articles of each day: the one count that the page shows."""
    articles: int | None = None
    """The articles of all days; None if not all were counted."""

    def every_day(self) -> list[int]:
        """Return the articles of each day from the first to the last, also of none."""
        if not self.days:
            return []
        counts = {day.day: day.articles for day in self.days}
        last = self.days[-1].day
        span = min((last - self.days[0].day).days + 1, DAYS)
        back = reversed(range(span))
        return [counts.get(last - timedelta(days=each), 0) for each in back]


def story_days(connection: Connection, story: str, zone: ReaderZone) -> StoryDays:
    """Return the days of a story in a zone.

    An article counts on the day on which it appeared, a copy too. Days of which no
    article is read stay as they were stored, in UTC: their articles were let go of, or
    the story has very many.
    """
    stored = {_date(row): row for row in days_of_story(connection, story)}
    articles = newest_of_story(connection, story, MAX_COUNTED + 1)
    found = zone_days(articles, stored, zone)
    whole = len(articles) <= MAX_COUNTED
    read = {_utc_day(each.published_at) for each in articles}
    if not whole:  # the rest of the oldest day was not read
        found.pop(0)
        read.remove(min(read))
    read |= {each.day for each in found}
    found += [_as_stored(day, row) for day, row in stored.items() if day not in read]
    shown = sorted(found, key=lambda each: each.day)[-DAYS:]
    rows = articles_by_id(connection, [each.central for each in shown if each.central])
    own = (row for row in rows.values() if row.story == story)
    central = {row.id: ArticleOut.of(row) for row in own}
    return StoryDays(
        days=[_out(each, central) for each in shown if each.articles],
        counts={each.day: each.articles for each in found},
        articles=sum(each.articles for each in found) if whole else None,
    )


def zone_days(
    articles: Iterable[StoryArticle], stored: Mapping[date, StoryDay], zone: ReaderZone
) -> list[ZoneDay]:
    """Return the days of articles in a zone, the oldest first; `stored` are UTC days.

    Keywords are those of the UTC day that has most articles of the day. The central
    article is one that was stored as such and fell on the day; if none did, the
    article that is surest to be of the story.
    """
    by_day: dict[date, list[StoryArticle]] = {}
    for article in articles:
        by_day.setdefault(zone.day(article.published_at), []).append(article)
    return [_zone_day(day, own, stored) for day, own in sorted(by_day.items())]


def _zone_day(
    day: date, own: Sequence[StoryArticle], stored: Mapping[date, StoryDay]
) -> ZoneDay:
    counted = Counter(_utc_day(each.published_at) for each in own)
    ranked = sorted(counted, key=lambda at: (counted[at], at), reverse=True)
    known = [stored[at] for at in ranked if at in stored]
    ids = {each.id for each in own}
    central = [row.central for row in known if row.central in ids]
    surest = max(own, key=lambda each: (each.copy_of is None, each.confidence, each.id))
    return ZoneDay(
        day=day,
        articles=len(own),
        sources=independent_sources(own),
        keywords=known[0].keywords if known else (),
        central=central[0] if central else surest.id,
    )


def _as_stored(day: date, row: StoryDay) -> ZoneDay:
    return ZoneDay(
        day=day,
        articles=row.articles,
        sources=row.sources,
        keywords=row.keywords,
        central=row.central,
    )


def _out(each: ZoneDay, central: Mapping[str, ArticleOut]) -> DayOut:
    return DayOut(
        day=each.day,
        articles=each.articles,
        sources=each.sources,
        keywords=list(each.keywords),
        central=central.get(each.central or ""),
    )


def _utc_day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def _date(row: StoryDay) -> date:
    return day_start(row.day).date()
