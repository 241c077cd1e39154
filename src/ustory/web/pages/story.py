"""Story: what happened day by day, how its words moved, and who wrote about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.responses import RedirectResponse, Response

from ustory.store import Connection
from ustory.store.listing import stories_by_id
from ustory.store.listing import story as find_story
from ustory.store.results import last_event
from ustory.web.access import Served
from ustory.web.api.stories import Cursor, StoryId
from ustory.web.feed_addresses import feed_of_story
from ustory.web.models.stories import ArticleOut, DayOut, StoryOut
from ustory.web.pages.charts import spark_of
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.formatting import long_day, story_path, with_query
from ustory.web.pages.render import Page, show
from ustory.web.pages.story_history import milestones_of, moves_of
from ustory.web.story_reader import StoryReader

UNNAMED = "No source named"


@dataclass(frozen=True, slots=True)
class Folded:
    """An article and its copies."""

    article: ArticleOut
    copies: Sequence[ArticleOut] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Articles of one day, or of one source."""

    title: str
    articles: Sequence[Folded]

    @property
    def count(self) -> int:
        """The number of articles, copies included."""
        return sum(1 + len(each.copies) for each in self.articles)


def by_day(articles: Iterable[ArticleOut]) -> list[Group]:
    """Return the articles by day, in the given order."""
    return _grouped(fold(articles), _day)


def by_source(articles: Iterable[ArticleOut]) -> list[Group]:
    """Return the articles by source, the largest first; copies are separate."""
    alone = [Folded(article) for article in articles]
    groups = _grouped(alone, lambda article: article.source or UNNAMED)
    return sorted(groups, key=lambda group: (-group.count, group.title))


def fold(articles: Iterable[ArticleOut]) -> list[Folded]:
    """Return the articles with copies under their original.

    If the original is not among them, the first copy takes its place.
    """
    given = {article.id: article for article in articles}
    lead: dict[str, str] = {}
    copies: dict[str, list[ArticleOut]] = {}
    for article in given.values():
        text = _original(article.id, given)
        first = lead.setdefault(text, text if text in given else article.id)
        if first != article.id:
            copies.setdefault(first, []).append(article)
    folded = {copy.id for some in copies.values() for copy in some}
    return [
        Folded(article, tuple(copies.get(article.id, ())))
        for article in given.values()
        if article.id not in folded
    ]


def _original(article: str, given: Mapping[str, ArticleOut]) -> str:
    """Return the first of a chain of copies; of a cycle, the least id."""
    chain: list[str] = []
    while article not in chain:
        chain.append(article)
        known = given.get(article)
        if known is None or known.copy_of is None:
            return article
        article = known.copy_of
    return min(chain[chain.index(article) :])


def _grouped(
    articles: Iterable[Folded], title: Callable[[ArticleOut], str]
) -> list[Group]:
    found: dict[str, list[Folded]] = {}
    for each in articles:
        found.setdefault(title(each.article), []).append(each)
    return [Group(name, some) for name, some in found.items()]


def _day(article: ArticleOut) -> str:
    return long_day(article.published_at.astimezone(UTC).date())


router = page_router()
_ARTICLES = 60
_DAYS = 60
_OPEN = 7
"""Days that are shown in full; earlier ones are folded."""
_RELATED = 6
_From = Annotated[str, Query(pattern="^[A-Za-z0-9_-]{0,40}$", alias="from")]


@router.get("/stories/{story}")
def story(
    request: Request,
    service: Served,
    story: StoryId,
    came: _From = "",
    by: Literal["day", "source"] = "day",
    cursor: Cursor = None,
) -> Response:
    """Show all about a story; one that was merged leads to what it is part of now."""
    with service.store.read() as connection:
        reader = StoryReader(connection, service.clock())
        row = reader.story(story)
        now = reader.present_id(row)
        if now != row.id:
            place = with_query(story_path(now), {"from": row.id})
            # the stories may be separated again: browsers must not cache this
            return RedirectResponse(place, 308, {"Cache-Control": "no-store"})
        articles = reader.articles(row, _ARTICLES, cursor)
        days = reader.days(row, _DAYS)
        values = {
            "story": reader.out([row])[0],
            "came": _merged(reader, connection, came, row.id),
            "days": list(reversed(days)),
            "open_days": _OPEN,
            "spark": spark_of(_every_day(days)),
            "moves": moves_of(days),
            "turns": milestones_of(connection, row.id),
            "related": reader.related(row, _RELATED),
            "groups": (by_day if by == "day" else by_source)(articles.articles),
            "by": by,
            "next": articles.next,
            "cursor": cursor,
        }
        event = last_event(connection)
    page = Page(
        "story",
        row.headline or row.id,
        values,
        nav="now",
        twin=f"/api/stories/{row.id}",
        feed=feed_of_story(row.id),
        event=event,
        story=row.id,
    )
    return show(request, service, page)


def _every_day(days: Sequence[DayOut]) -> list[int]:
    """Return the articles of each day from the first to the last, also of none."""
    if not days:
        return []
    first, last = days[0].day, days[-1].day
    counts = {day.day: day.articles for day in days}
    span = min((last - first).days + 1, _DAYS)
    return [
        counts.get(last - timedelta(days=back), 0) for back in reversed(range(span))
    ]


def _merged(
    reader: StoryReader, connection: Connection, came: str, now: str
) -> StoryOut | None:
    """Return the story that somebody asked for, if it is part of this one."""
    if not came or came == now:
        return None
    found = find_story(connection, came)
    if found is None or found.story.id != now:
        return None
    return reader.out([stories_by_id(connection, [came])[came]])[0]
