"""Now: the current stories, the hottest first, and what changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from ustory.store import Connection
from ustory.store.listing import list_stories, stories_by_id
from ustory.store.query import Selection, count_facets
from ustory.store.results import last_event
from ustory.store.search import meant_outlets
from ustory.store.slides import open_slide
from ustory.web.access import Served
from ustory.web.models.search import ArticleHits, FacetsOut, SnippetPart
from ustory.web.models.shared import Tags
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.models.watchlists import MAX_SEARCH
from ustory.web.pages.charts import Spark, sparks
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.facets import chips_of, facets_of, in_words
from ustory.web.pages.formatting import with_query
from ustory.web.pages.last_visit import COOKIE, LastVisit
from ustory.web.pages.news import News, news_since
from ustory.web.pages.notices import notices
from ustory.web.pages.now_query import ARTICLES, PAGE, NowQuery, kept_fields
from ustory.web.pages.render import Page, reader_of, show
from ustory.web.search_reader import SearchReader, facets_out
from ustory.web.story_reader import StoryReader, cursor_checked

router = page_router()
_YEAR = 31_536_000
_HITS = 8
"""Articles that a search shows below the stories."""
_EXPORT = ("q", "source", "lang", "since", "until", "keyword", "size")
"""The filters of a view that its file has, too."""
_NAMED = 3
"""Outlets that a sentence names."""


@dataclass(frozen=True, slots=True)
class Row:
    """A story in the list."""

    story: StoryOut
    spark: Spark
    mark: str
    """What happened to it since the reader's last visit."""
    article: ArticleOut | None = None
    """The article that a search found it by."""
    snippet: Sequence[SnippetPart] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A page of the list."""

    stories: Sequence[StoryOut] = ()
    total: int = 0
    before: int = 0
    """Stories on the pages before."""
    next: str | None = None
    facets: FacetsOut | None = None
    articles: ArticleHits | None = None
    corrected: str | None = None
    found: Mapping[str, tuple[ArticleOut | None, Sequence[SnippetPart]]] = field(
        default_factory=dict
    )


@router.get("/")
def now(request: Request, service: Served) -> Response:
    """Show the current stories."""
    asked = NowQuery.of(request.query_params)
    empty = [name for name, value in request.query_params.items() if not value.strip()]
    if empty:  # a form sends empty fields, too
        return RedirectResponse(asked.path(cursor=asked.cursor), 303)
    moment = service.clock()
    with service.store.read() as connection:
        event = last_event(connection)
        wall = service.rules.wall()
        looked = LastVisit.of(request.cookies.get(COOKIE), event, wall)
        news = news_since(connection, looked.seen)
        listing = _listing(connection, asked, news, moment, reader_of(request).tags)
        drawn = sparks(connection, [story.id for story in listing.stories], moment)
        opened = open_slide(connection) if not listing.stories else None
        outlets = meant_outlets(connection, asked.source) if asked.source else []
        above = notices(connection, service)
    rows = [
        Row(
            each,
            drawn[each.id],
            news.marks.get(each.id, ""),
            *listing.found.get(each.id, (None, ())),
        )
        for each in listing.stories
    ]
    # what else there is of this view is of what was searched for
    shown = replace(asked, q=listing.corrected) if listing.corrected else asked
    values = {
        **above,
        "asked": asked,
        "search_text": asked.q,
        "rows": rows,
        "listing": listing,
        "said": in_words(_plainly(asked, outlets), listing.total),
        "facets": [] if listing.facets is None else facets_of(asked, listing.facets),
        "chips": chips_of(asked, outlets),
        "links": _links(shown, moment),
        "kept": kept_fields,
        "looked": looked,
        "news": news,
        "wall": wall,
        "status": service.loop.status(),
        "opened": opened,
        "pending": service.intake.waiting() if not rows else 0,
    }
    title = f"“{asked.q}”" if asked.q else "Stories" if asked.is_filtered else "Now"
    twin = None if asked.changed else shown.twin(moment)
    page = Page("now", title, values, twin=twin, feed=shown.feed, event=event)
    answer = show(request, service, page)
    _remember(answer, looked)
    return answer


@router.get("/seen")
def seen(service: Served) -> Response:
    """Mark everything as seen, and go back to Now."""
    with service.store.read() as connection:
        event = last_event(connection)
    answer = RedirectResponse("/", 303)
    _remember(answer, LastVisit.of(None, event, service.rules.wall()))
    return answer


def _remember(answer: Response, looked: LastVisit) -> None:
    answer.set_cookie(
        COOKIE, looked.cookie, max_age=_YEAR, httponly=True, samesite="lax"
    )


def _listing(
    connection: Connection, asked: NowQuery, news: News, now: datetime, reader: Tags
) -> Listing:
    if asked.changed:
        return _changed(connection, asked, news, now, reader)
    if asked.q:
        return _found(connection, asked, now, reader)
    query = asked.query(now)
    selection = Selection.of(connection, query)
    with cursor_checked():
        page = list_stories(connection, query, selection)
    return Listing(
        stories=StoryReader(connection, now, reader).out(page.items),
        total=selection.total,
        before=page.before,
        next=page.cursor,
        facets=facets_out(count_facets(connection, selection, now)),
    )


def _changed(
    connection: Connection, asked: NowQuery, news: News, now: datetime, reader: Tags
) -> Listing:
    ids, cursor = news.page(asked.cursor, PAGE)
    rows = stories_by_id(connection, ids)
    stories = StoryReader(connection, now, reader).out([rows[each] for each in ids])
    before = int(asked.cursor or 0)
    return Listing(stories=stories, total=len(news.marks), before=before, next=cursor)


def _found(
    connection: Connection, asked: NowQuery, now: datetime, tags: Tags
) -> Listing:
    """Return what a search finds: stories with some articles, or articles alone."""
    query, only = asked.query(now), asked.show == ARTICLES
    reader = SearchReader(connection, query.text or "", now, tags)
    cursor = query.cursor if only else None
    found = reader.answer(query, PAGE if only else _HITS, cursor, stories=not only)
    return Listing(
        stories=[hit.story for hit in found.stories.hits],
        total=found.stories.total,
        before=reader.before,
        next=found.articles.next if only else found.stories.next,
        facets=found.facets,
        articles=found.articles,
        corrected=found.corrected,
        found={hit.story.id: (hit.article, hit.snippet) for hit in found.stories.hits},
    )


def _plainly(asked: NowQuery, outlets: Sequence[str]) -> NowQuery:
    """Return the filters with the outlet as it calls itself."""
    return replace(asked, source=" or ".join(outlets[:_NAMED]) or asked.source)


def _links(asked: NowQuery, now: datetime) -> dict[str, str]:
    """Return the addresses of this view in other forms."""
    given = asked.given(now)
    chosen = {name: given.get(name) for name in _EXPORT}
    chosen["status"] = given.get("status", "all")
    kind = ARTICLES if asked.show == ARTICLES else "stories"
    search = asked.as_search if len(asked.as_search) <= MAX_SEARCH else ""
    return {
        "csv": with_query(f"/api/export/{kind}", {"format": "csv", **chosen}),
        "watch": with_query("/watch", {"search": search}) if search else "",
    }
