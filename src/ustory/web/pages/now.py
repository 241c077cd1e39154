"""Now: the stories there are, the hottest first, and what changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import Connection

from ustory.store.events import last_event
from ustory.store.listing import search_articles, stories_by_id
from ustory.store.slides import open_slide
from ustory.web.access import Served
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.pages.error_pages import PageRoute
from ustory.web.pages.last_visit import COOKIE, Looked, News, news_since
from ustory.web.pages.now_query import SORTS, SPANS, STATUSES, Asked
from ustory.web.pages.render import Page, show
from ustory.web.pages.sparks import Spark, sparks
from ustory.web.story_reader import Telling

router = APIRouter(
    route_class=PageRoute, include_in_schema=False, default_response_class=HTMLResponse
)
_YEAR = 31_536_000
_ROUNDS = 4
"""Pages of the store that one of ours is put together from, at most."""
_HITS = 8
_CHANGED = 60


@dataclass(frozen=True, slots=True)
class Row:
    """A story in the list."""

    story: StoryOut
    spark: Spark
    mark: str
    """What happened to it since the reader last looked."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the list."""

    rows: Sequence[Row]
    next: str | None


@router.get("/")
def now(request: Request, service: Served) -> Response:
    """Show what is happening."""
    asked = Asked.of(request.query_params)
    moment = service.clock()
    with service.store.read() as connection:
        event = last_event(connection)
        wall = service.rules.wall()
        looked = Looked.of(request.cookies.get(COOKIE), event, wall)
        news = news_since(connection, looked.seen)
        listing = _listing(connection, asked, news, moment)
        hits = _hits(connection, asked)
        opened = open_slide(connection) if not listing.rows else None
    values = {
        "asked": asked,
        "asked_for": asked.q,
        "rows": listing.rows,
        "next": listing.next,
        "hits": hits,
        "looked": looked,
        "news": news,
        "wall": wall,
        "status": service.loop.status(),
        "opened": opened,
        "choices": _choices(listing.rows),
        "statuses": STATUSES,
        "sorts": SORTS,
        "spans": SPANS,
        "pending": service.intake.waiting() if not listing.rows else 0,
    }
    page = Page(
        template="now.html",
        title=f"“{asked.q}”" if asked.q else "Now",
        twin=asked.twin(moment),
        nav="now",
        event=event,
        values=values,
    )
    answer = show(request, service, page)
    _remember(answer, looked)
    return answer


@router.get("/seen")
def seen(service: Served) -> Response:
    """Let everything there is count as seen, and go back to Now."""
    with service.store.read() as connection:
        event = last_event(connection)
    answer = RedirectResponse("/", 303)
    _remember(answer, Looked.of(None, event, service.rules.wall()))
    return answer


def _remember(answer: Response, looked: Looked) -> None:
    answer.set_cookie(
        COOKIE, looked.cookie, max_age=_YEAR, httponly=True, samesite="lax"
    )


def _listing(
    connection: Connection, asked: Asked, news: News, now: datetime
) -> Listing:
    telling = Telling(connection, now)
    if asked.changed:
        rows = stories_by_id(connection, list(news.marks)).values()
        hottest = sorted(rows, key=lambda row: (-row.heat, row.id))
        stories, cursor = telling.out(hottest[:_CHANGED]), None
    else:
        stories, cursor = _walk(telling, asked, now)
    drawn = sparks(connection, [story.id for story in stories], now)
    return Listing(
        [Row(each, drawn[each.id], news.marks.get(each.id, "")) for each in stories],
        cursor,
    )


def _walk(
    telling: Telling, asked: Asked, now: datetime
) -> tuple[list[StoryOut], str | None]:
    """Return a page of stories; the store may need a few looks where few pass."""
    query = asked.query(now)
    page = telling.stories(query)
    found, cursor = list(page.stories), page.next
    for _ in range(_ROUNDS - 1):
        if cursor is None or found:
            break
        page = telling.stories(replace(query, cursor=cursor))
        found, cursor = list(page.stories), page.next
    return found, cursor


def _hits(connection: Connection, asked: Asked) -> list[ArticleOut]:
    """Return the newest articles that a search finds, those in no story included."""
    if not asked.q or asked.cursor:
        return []
    found = search_articles(connection, asked.q, _HITS)
    return [ArticleOut.of(row) for row in found.items]


def _choices(rows: Sequence[Row]) -> Mapping[str, list[str]]:
    """Return what the filters suggest: what is in the stories that are shown."""
    stories = [row.story for row in rows]
    return {
        "sources": sorted({name for each in stories for name in each.top_sources}),
        "langs": sorted({each.lang for each in stories if each.lang}),
    }
