"""Story: what happened day by day, how its words moved, and who wrote about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.responses import RedirectResponse, Response

from ustory.core.wording import many
from ustory.store import Connection
from ustory.store.listing import stories_by_id
from ustory.store.listing import story as find_story
from ustory.store.results import last_event
from ustory.web.access import Served
from ustory.web.api.stories import Cursor, StoryId
from ustory.web.feed_addresses import feed_of_story
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.pages.charts import spark_of
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.formatting import full_day, long_day, story_path, with_query
from ustory.web.pages.reader_zone import ReaderZone
from ustory.web.pages.render import Page, reader_of, show, zone_of
from ustory.web.pages.story_days import story_days
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
    count: int
    """The number of articles, copies included."""
    note: str = ""
    """Which of them are not below, and where they are."""


def by_day(
    articles: Sequence[ArticleOut], zone: ReaderZone, counts: Mapping[date, int]
) -> list[Group]:
    """Return the articles by day, in the given order; `counts` are of all pages.

    A copy is under its original, and counts on the day on which it appeared.
    """
    days = {article.id: zone.day(article.published_at) for article in articles}
    here = Counter(days.values())
    below: dict[date, list[Folded]] = {day: [] for day in here}
    away: Counter[date] = Counter()
    for each in fold(articles):
        day = days[each.article.id]
        below[day].append(each)
        away.update(days[c.id] for c in each.copies if days[c.id] != day)
    return [
        Group(
            long_day(day),
            some,
            counts.get(day, here[day]),
            _note(away[day], here[day], counts.get(day, here[day])),
        )
        for day, some in below.items()
    ]


def _note(away: int, here: int, count: int) -> str:
    """Return which articles of a day are not below it."""
    words = []
    if away == 1:
        words.append("1 is a copy, under its original")
    elif away:
        words.append(f"{away:,} are copies, under their originals")
    if here < count:
        words.append(f"{here:,} on this page")
    return "; ".join(words)


def by_source(articles: Iterable[ArticleOut], *, is_part: bool = False) -> list[Group]:
    """Return the articles by source, the largest first; copies are separate."""
    found: dict[str, list[Folded]] = {}
    for article in articles:
        found.setdefault(article.source or UNNAMED, []).append(Folded(article))
    note = "on this page" if is_part else ""
    groups = [Group(name, some, len(some), note) for name, some in found.items()]
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


router = page_router()
_ARTICLES = 60
_OPEN = 7
"""Days that are shown in full; earlier ones are folded."""
_RELATED = 6
_SHARED = 8
"""Keywords that the description of a shared link names."""
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
        tags = reader_of(request).tags
        reader = StoryReader(connection, service.clock(), tags)
        row = reader.story(story)
        now = reader.present_id(row)
        if now != row.id:
            place = with_query(story_path(now), {"from": row.id})
            # the stories may be separated again: browsers must not cache this
            return RedirectResponse(place, 308, {"Cache-Control": "no-store"})
        articles = reader.articles(row, _ARTICLES, cursor)
        zone = zone_of(request)
        told = story_days(connection, row.id, zone)
        shown = reader.out([row])[0]
        count = shown.articles if told.articles is None else told.articles
        if by == "day":
            groups = by_day(articles.articles, zone, told.counts)
        else:
            is_part = cursor is not None or articles.next is not None
            groups = by_source(articles.articles, is_part=is_part)
        values = {
            "story": shown,
            "count": count,
            "about": about(shown, count, zone),
            "canonical": service.base_url(str(request.base_url))
            + story_path(row.id)[1:],
            "came": _merged(reader, connection, came, row.id),
            "days": list(reversed(told.days)),
            "open_days": _OPEN,
            "spark": spark_of(told.every_day()),
            "moves": moves_of(told.days),
            "turns": milestones_of(connection, row.id, tags),
            "related": reader.related(row, _RELATED),
            "groups": groups,
            "by": by,
            "next": articles.next,
            "cursor": cursor,
        }
        event = last_event(connection)
    page = Page(
        "story",
        shown.headline or row.id,
        values,
        nav="now",
        twin=f"/api/stories/{row.id}",
        feed=feed_of_story(row.id),
        event=event,
        story=row.id,
    )
    return show(request, service, page)


def about(story: StoryOut, count: int, zone: ReaderZone) -> str:
    """Return a story in a sentence, for a link to it that somebody shares."""
    first, last = zone.day(story.first_seen), zone.day(story.last_seen)
    days = full_day(last) if first == last else f"{full_day(first)} to {full_day(last)}"
    words = (
        f" Keywords: {', '.join(story.keywords[:_SHARED])}." if story.keywords else ""
    )
    return f"{many(count, 'article')}, {days}.{words}"


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
