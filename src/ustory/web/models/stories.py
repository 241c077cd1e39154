"""Stories, as they go out."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Literal, Self

from pydantic import Field

from ustory.core.article import web_link
from ustory.sources.origins import is_claimed, shown
from ustory.store.tables import ArticleRow, StoryDay, StoryRow
from ustory.stories.language_rows import language_for_reader
from ustory.web.models.shared import Shape, Tags

Status = Literal["live", "expired", "merged"]
Sort = Literal["heat", "size", "recent", "new", "relevance"]
Size = Literal["small", "medium", "large"]
_FIRST_DAY = date(1970, 1, 1)


class LanguageOut(Shape):
    """A language of a story."""

    lang: str = Field(examples=["en"])
    articles: int = Field(examples=[14])
    """How many of its articles are in it."""


class StoryOut(Shape):
    """A story as it last stood."""

    id: str = Field(examples=["s000001"])
    status: str = Field(examples=["live"])
    """`live`, `expired` or `merged`."""
    headline: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    """The title of its most central article."""
    keywords: list[str] = Field(examples=[["kestrel", "bay", "earthquake"]])
    articles: int = Field(examples=[14])
    """Articles it ever had."""
    inside: int = Field(examples=[11])
    """Articles it has in the window."""
    sources: int = Field(examples=[6])
    """Independent sources: copies count once."""
    heat: float = Field(examples=[3.1416])
    """How much is written about it now."""
    trend: str = Field(examples=["growing"])
    """`new`, `growing`, `steady` or `fading`."""
    first_seen: datetime = Field(examples=["2024-03-04T06:48:00Z"])
    last_seen: datetime = Field(examples=["2024-03-07T11:02:00Z"])
    born_at: datetime = Field(examples=["2024-03-04T12:00:00Z"])
    changed_slide: int = Field(examples=[12])
    """The slide that last changed it."""
    lang: str | None = Field(None, examples=["en"])
    """The language in which most outlets write about it."""
    languages: list[LanguageOut] = Field(default=[])
    """All its languages, the one with most articles first."""
    headline_lang: str | None = Field(None, examples=["en"])
    """The language of headline and keywords: `reader`, if it has an article in it."""
    top_sources: list[str] = Field(examples=[["Continental Wire", "Harbour Post"]])
    merged_into: str | None = None
    """The story it is part of now."""
    split_from: str | None = None
    """The story it was once part of."""

    @classmethod
    def of(cls, row: StoryRow, reader: Tags = (), **changed: Any) -> Self:  # noqa: ANN401 - any fields
        """Return a story as it goes out, for a reader; `trend` must be given."""
        told = language_for_reader(row, reader)
        languages = [
            LanguageOut(lang=each.lang, articles=each.articles)
            for each in row.in_languages
        ]
        return super().of(
            row,
            heat=round(row.heat, 4),
            headline=told.headline,
            keywords=told.keywords,
            headline_lang=told.lang or None,
            languages=languages,
            **changed,
        )


class StoryPage(Shape):
    """Some of the stories, and where the next ones begin."""

    stories: list[StoryOut]
    total: int | None = Field(default=None, examples=[390])
    """How many there are on all pages."""
    next: str | None
    """`cursor` of the next page; null on the last."""


class ArticleOut(Shape):
    """An article without its text, and the story it is in."""

    id: str = Field(examples=["a-0001"])
    title: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    url: str | None = Field(
        examples=["https://continentalwire.example/2024/03/04/kestrel-bay"]
    )
    """As the publisher wrote it; null if not HTTP."""
    source: str | None = Field(examples=["Continental Wire"])
    source_claimed: bool = Field(examples=[False])
    """Whether a feed of another site names the source."""
    origin: str = Field(examples=["api"])
    """Who brought it: a feed without its query, a file, or `api`."""
    lang: str | None = Field(examples=["en"])
    authors: list[str] = Field(examples=[["Petra Lindqvane"]])
    published_at: datetime = Field(examples=["2024-03-04T06:48:00Z"])
    """The date that counts."""
    claimed_at: datetime | None = Field(examples=["2024-03-04T06:48:00Z"])
    """The date the publisher claims."""
    date_flag: str | None
    """`future`, `old` or `missing` where the claim is not believed; `backdated`
    where the article came later than its date says."""
    fetched_at: datetime = Field(examples=["2024-03-04T06:50:00Z"])
    story: str | None = Field(examples=["s000001"])
    how: str = Field(examples=["seeded"])
    """How it came there: `assigned`, `seeded`, `moved`…"""
    confidence: float = Field(examples=[0.91])
    copy_of: str | None
    """The article whose text this one repeats."""
    edits: int = Field(examples=[0])
    """How often the publisher changed it."""
    waiting: bool = Field(examples=[False])
    """Whether its slide is still to come."""

    @classmethod
    def of(cls, row: ArticleRow, **changed: Any) -> Self:  # noqa: ANN401 - any fields
        """Return an article as it goes out."""
        origin, claimed = shown(row.origin), is_claimed(row.source, row.origin)
        link = web_link(row.url)
        return super().of(
            row, url=link, origin=origin, source_claimed=claimed, **changed
        )


class ArticlePage(Shape):
    """Some of the articles of a story, the newest first."""

    articles: list[ArticleOut]
    total: int | None = Field(default=None, examples=[1412])
    """How many a search finds; null where articles are listed otherwise."""
    next: str | None
    """`cursor` of the next page; null on the last."""


class DayOut(Shape):
    """A day of a story."""

    day: date = Field(examples=["2024-03-04"])
    articles: int = Field(examples=[5])
    sources: int = Field(examples=[4])
    keywords: list[str] = Field(examples=[["earthquake", "tsunami", "kestrel"]])
    """What the story was about on that day."""
    central: ArticleOut | None
    """Its most central article."""

    @classmethod
    def of(cls, row: StoryDay, **changed: Any) -> Self:  # noqa: ANN401 - any fields
        """Return a day as it goes out; `central` must be given."""
        return super().of(row, day=_FIRST_DAY + timedelta(days=row.day), **changed)


class EventOut(Shape):
    """Something that happened to a story."""

    id: int = Field(examples=[17])
    kind: str = Field(examples=["grew"])
    """`born`, `grew`, `merged`…; more kinds may come."""
    story: str = Field(examples=["s000001"])
    """Empty where it is about the whole archive."""
    at: datetime = Field(examples=["2024-03-07T12:00:00Z"])
    """End of the slide in which it happened."""
    slide: int = Field(examples=[12])
    articles: list[str] = Field(examples=[["a-0035"]])
    details: dict[str, Any] = Field(examples=[{}])


class Timeline(Shape):
    """What happened in a story, day by day and event by event."""

    story: str = Field(examples=["s000001"])
    days: list[DayOut]
    """The oldest first."""
    events: list[EventOut]
    """The oldest first; the last 200."""


class StoryDetail(Shape):
    """All about one story."""

    story: StoryOut
    articles: ArticlePage
    """The newest of its articles."""
    days: list[DayOut]
    """The oldest first; the last 60."""
    events: list[EventOut]
    """The oldest first; the last 200."""
    related: list[StoryOut] = Field(examples=[[]])


class RelatedOut(Shape):
    """Stories that share keywords with one."""

    stories: list[StoryOut]


class Changes(Shape):
    """What changed since a moment, or after a mark."""

    since: datetime | None = Field(examples=["2024-03-07T00:00:00Z"])
    until: datetime | None = Field(examples=["2024-03-07T12:00:00Z"])
    """Time of the last slide that is done, for `since` the next time. Stories of
    slides with that same time may be given again."""
    after: str | None = Field(examples=["41-9f3ac2d1b07e"])
    """Mark of the last slide that is done: give the one of the last page as `after`
    the next time, and no change is missed or given twice."""
    stories: list[StoryOut]
    """As they stand now."""
    next: str | None
    """`cursor` of the next page; null on the last."""
