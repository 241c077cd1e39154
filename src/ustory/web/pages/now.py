"""Now: the current stories, the hottest first, and what changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError

from ustory.store import Connection
from ustory.store.listing import StoryQuery, search_articles, stories_by_id
from ustory.store.results import last_event
from ustory.store.slides import open_slide
from ustory.web.access import Served
from ustory.web.api.stories import StoryFilter
from ustory.web.errors import ApiError
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.pages.charts import Spark, sparks
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.formatting import with_query
from ustory.web.pages.last_visit import COOKIE, LastVisit, News, news_since
from ustory.web.pages.notices import notices
from ustory.web.pages.render import Page, show
from ustory.web.story_reader import StoryReader

PAGE = 30
"""Stories on a page."""
STATUSES = {"": "Live", "expired": "Ended", "merged": "Merged", "all": "Live and ended"}
SORTS = {
    "heat": "Heat",
    "new": "Newest first",
    "recent": "Last article",
    "size": "Most articles",
}
SPANS = {
    "": "Any time",
    "6h": "Last 6 hours",
    "1d": "Last day",
    "3d": "Last 3 days",
    "7d": "Last week",
}
_HOURS = {"6h": 6, "1d": 24, "3d": 72, "7d": 168}


@dataclass(frozen=True, slots=True, kw_only=True)
class NowQuery:
    """The filters in the address; an empty one is not used."""

    q: str = ""
    status: str = ""
    keyword: str = ""
    source: str = ""
    lang: str = ""
    within: str = ""
    since: str = ""
    until: str = ""
    sort: str = ""
    cursor: str = ""
    changed: str = ""
    """If set, only stories that changed since the reader's last visit."""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> NowQuery:
        """Return the filters in a query; other parameters are ignored."""
        names = cls.__dataclass_fields__
        found = {name: given[name].strip() for name in names if name in given}
        asked = cls(**found)
        if asked.within not in SPANS:
            raise ApiError(400, f"within: must be one of {', '.join(_HOURS)}")
        return asked

    @property
    def is_filtered(self) -> bool:
        """Whether any filter is used."""
        return replace(self, sort="", cursor="") != NowQuery()

    @property
    def has_more(self) -> bool:
        """Whether one of the folded filters is used."""
        return any((self.source, self.lang, self.keyword, self.since, self.until))

    def query(self, now: datetime) -> StoryQuery:
        """Return the query for the store; ApiError if it is invalid."""
        return self._filter(now).query()

    def twin(self, now: datetime) -> str:
        """Return the address of the same list as JSON."""
        asked = self._filter(now).model_dump(mode="json", exclude_none=True)
        return with_query("/api/stories", asked)

    def path(self, **changes: str) -> str:
        """Return the address of this list with some filters changed."""
        given = asdict(replace(self, **{"cursor": "", **changes}))
        return with_query("/", given)

    def _filter(self, now: datetime) -> StoryFilter:
        since = self.since
        if self.within and not since:
            start = now - timedelta(hours=_HOURS[self.within])
            since = start.isoformat(timespec="seconds").replace("+00:00", "Z")
        given = {
            "q": self.q,
            "status": self._status(),
            "keyword": self.keyword,
            "source": self.source,
            "lang": self.lang,
            "since": since,
            "until": self.until,
            "sort": self.sort or "heat",
            "cursor": self.cursor,
            "limit": PAGE,
        }
        try:
            return StoryFilter.model_validate({k: v for k, v in given.items() if v})
        except ValidationError as error:
            first = error.errors()[0]
            raise ApiError(400, f"{first['loc'][0]}: {first['msg']}") from None

    def _status(self) -> str:
        """Return the status for the API; a search includes ended stories."""
        if self.status == "all" or (not self.status and self.q):
            return ""
        return self.status or "live"


router = page_router()
_YEAR = 31_536_000
_MAX_PAGES = 4
"""Pages of the store that are read for one page."""
_HITS = 8
_CHANGED = 60


@dataclass(frozen=True, slots=True)
class Row:
    """A story in the list."""

    story: StoryOut
    spark: Spark
    mark: str
    """What happened to it since the reader's last visit."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the list."""

    rows: Sequence[Row]
    next: str | None


@router.get("/")
def now(request: Request, service: Served) -> Response:
    """Show the current stories."""
    asked = NowQuery.of(request.query_params)
    moment = service.clock()
    with service.store.read() as connection:
        event = last_event(connection)
        wall = service.rules.wall()
        looked = LastVisit.of(request.cookies.get(COOKIE), event, wall)
        news = news_since(connection, looked.seen)
        listing = _listing(connection, asked, news, moment)
        hits = _hits(connection, asked)
        opened = open_slide(connection) if not listing.rows else None
        above = notices(connection, service)
    values = {
        **above,
        "asked": asked,
        "search_text": asked.q,
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
    title = f"“{asked.q}”" if asked.q else "Now"
    page = Page("now", title, values, twin=asked.twin(moment), event=event)
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
    connection: Connection, asked: NowQuery, news: News, now: datetime
) -> Listing:
    reader = StoryReader(connection, now)
    if asked.changed:
        rows = stories_by_id(connection, list(news.marks)).values()
        hottest = sorted(rows, key=lambda row: (-row.heat, row.id))
        stories, cursor = reader.out(hottest[:_CHANGED]), None
    else:
        stories, cursor = _walk(reader, asked, now)
    drawn = sparks(connection, [story.id for story in stories], now)
    return Listing(
        [Row(each, drawn[each.id], news.marks.get(each.id, "")) for each in stories],
        cursor,
    )


def _walk(
    reader: StoryReader, asked: NowQuery, now: datetime
) -> tuple[list[StoryOut], str | None]:
    """Return a page of stories; reads several pages if few stories match."""
    query = asked.query(now)
    page = reader.stories(query)
    found, cursor = list(page.stories), page.next
    for _ in range(_MAX_PAGES - 1):
        if cursor is None or found:
            break
        page = reader.stories(replace(query, cursor=cursor))
        found, cursor = list(page.stories), page.next
    return found, cursor


def _hits(connection: Connection, asked: NowQuery) -> list[ArticleOut]:
    """Return the newest articles of a search, including those in no story."""
    if not asked.q or asked.cursor:
        return []
    found = search_articles(connection, asked.q, _HITS)
    return [ArticleOut.of(row) for row in found.items]


def _choices(rows: Sequence[Row]) -> Mapping[str, list[str]]:
    """Return suggestions for the filters: values of the stories on the page."""
    stories = [row.story for row in rows]
    return {
        "sources": sorted({name for each in stories for name in each.top_sources}),
        "langs": sorted({each.lang for each in stories if each.lang}),
    }
