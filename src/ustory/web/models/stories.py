"""Stories, as they go out."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Literal

from pydantic import Field

from ustory.core.article import web_link
from ustory.sources.origins import is_claimed, shown
from ustory.store.tables import ArticleRow, EventRow, StoryDay, StoryRow
from ustory.web.models.shared import Shape

Status = Literal["live", "expired", "merged"]
Sort = Literal["heat", "size", "recent", "new"]
_FIRST_DAY = date(1970, 1, 1)


class StoryOut(Shape):
    """A story as it last stood."""

    id: str
    status: str = Field(description="`live`, `expired` or `merged`.")
    headline: str = Field(description="The title of its most central article.")
    keywords: list[str]
    articles: int = Field(description="Articles it ever had.")
    inside: int = Field(description="Articles it has in the window.")
    sources: int = Field(description="Independent sources: copies count once.")
    heat: float = Field(description="How much is written about it now.")
    trend: str = Field(description="`new`, `growing`, `steady` or `fading`.")
    first_seen: datetime
    last_seen: datetime
    born_at: datetime
    changed_slide: int = Field(description="The slide that last changed it.")
    lang: str | None = None
    top_sources: list[str]
    merged_into: str | None = Field(None, description="The story it is part of now.")
    split_from: str | None = Field(None, description="The story it was once part of.")

    @classmethod
    def of(cls, row: StoryRow, trend: str) -> StoryOut:
        """Return a row of the store as it goes out."""
        return cls(
            id=row.id,
            status=row.status,
            headline=row.headline,
            keywords=list(row.keywords),
            articles=row.articles,
            inside=row.inside,
            sources=row.sources,
            heat=round(row.heat, 4),
            trend=trend,
            first_seen=row.first_seen,
            last_seen=row.last_seen,
            born_at=row.born_at,
            changed_slide=row.changed_slide,
            lang=row.lang,
            top_sources=list(row.top_sources),
            merged_into=row.merged_into,
            split_from=row.split_from,
        )


class StoryPage(Shape):
    """Some of the stories, and where the next ones begin."""

    stories: list[StoryOut]
    next: str | None = Field(description="`cursor` of the next page; null on the last.")


class ArticleOut(Shape):
    """An article without its text, and the story it is in."""

    id: str
    title: str
    url: str | None = Field(description="As the publisher wrote it; null if not HTTP.")
    source: str | None
    source_claimed: bool = Field(
        description="Whether a feed of another site names the source."
    )
    origin: str = Field(
        description="Who brought it: a feed without its query, a file, or `api`."
    )
    lang: str | None
    authors: list[str]
    published_at: datetime = Field(description="The date that counts.")
    claimed_at: datetime | None = Field(description="The date the publisher claims.")
    date_flag: str | None = Field(
        description="`future`, `old` or `missing` where the claim is not believed; "
        "`backdated` where the article came later than its date says."
    )
    fetched_at: datetime
    story: str | None
    how: str = Field(description="How it came there: `assigned`, `seeded`, `moved`…")
    confidence: float
    copy_of: str | None = Field(description="The article whose text this one repeats.")
    edits: int = Field(description="How often the publisher changed it.")
    waiting: bool = Field(description="Whether its slide is still to come.")

    @classmethod
    def of(cls, row: ArticleRow) -> ArticleOut:
        """Return a row of the store as it goes out."""
        return cls(**article_values(row))


class ArticlePage(Shape):
    """Some of the articles of a story, the newest first."""

    articles: list[ArticleOut]
    next: str | None = Field(description="`cursor` of the next page; null on the last.")


class DayOut(Shape):
    """A day of a story."""

    day: date
    articles: int
    sources: int
    keywords: list[str] = Field(description="What the story was about on that day.")
    central: ArticleOut | None = Field(description="Its most central article.")

    @classmethod
    def of(cls, row: StoryDay, central: ArticleRow | None) -> DayOut:
        """Return a row of the store as it goes out."""
        return cls(
            day=_FIRST_DAY + timedelta(days=row.day),
            articles=row.articles,
            sources=row.sources,
            keywords=list(row.keywords),
            central=None if central is None else ArticleOut.of(central),
        )


class EventOut(Shape):
    """Something that happened to a story."""

    id: int
    kind: str = Field(description="`born`, `grew`, `merged`…; more kinds may come.")
    story: str = Field(description="Empty where it is about the whole archive.")
    at: datetime = Field(description="End of the slide in which it happened.")
    slide: int
    articles: list[str]
    details: dict[str, Any]

    @classmethod
    def of(cls, row: EventRow) -> EventOut:
        """Return a row of the ledger as it goes out."""
        return cls(
            id=row.id,
            kind=row.kind,
            story=row.story,
            at=row.at,
            slide=row.slide,
            articles=list(row.articles),
            details=dict(row.details),
        )


class Timeline(Shape):
    """What happened in a story, day by day and event by event."""

    story: str
    days: list[DayOut] = Field(description="The oldest first.")
    events: list[EventOut] = Field(description="The oldest first; the last 200.")


class StoryDetail(Shape):
    """All about one story."""

    story: StoryOut
    articles: ArticlePage = Field(description="The newest of its articles.")
    days: list[DayOut] = Field(description="The oldest first; the last 60.")
    events: list[EventOut] = Field(description="The oldest first; the last 200.")
    related: list[StoryOut]


class RelatedOut(Shape):
    """Stories that share keywords with one."""

    stories: list[StoryOut]


class Changes(Shape):
    """What changed since a moment, or after a mark."""

    since: datetime | None
    until: datetime | None = Field(
        description="Time of the last slide that is done, for `since` the next time. "
        "Stories of slides with that same time may be given again."
    )
    after: str | None = Field(
        description="Mark of the last slide that is done: give the one of the last "
        "page as `after` the next time, and no change is missed or given twice."
    )
    stories: list[StoryOut] = Field(description="As they stand now.")
    next: str | None = Field(description="`cursor` of the next page; null on the last.")


def article_values(row: ArticleRow) -> dict[str, Any]:
    """Return the fields of an article that go out."""
    return {
        "id": row.id,
        "title": row.title,
        "url": web_link(row.url),
        "source": row.source,
        "source_claimed": is_claimed(row.source, row.origin),
        "origin": shown(row.origin),
        "lang": row.lang,
        "authors": list(row.authors),
        "published_at": row.published_at,
        "claimed_at": row.claimed_at,
        "date_flag": row.date_flag,
        "fetched_at": row.fetched_at,
        "story": row.story,
        "how": row.how,
        "confidence": row.confidence,
        "copy_of": row.copy_of,
        "edits": row.edits,
        "waiting": row.waiting,
    }
