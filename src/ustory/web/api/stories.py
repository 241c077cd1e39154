"""Stories: lists, one of them, and what changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from ustory.store.listing import StoryQuery
from ustory.web.access import Served
from ustory.web.models.shared import READER, Line, Moment, ReaderTag, Tags, tags_of
from ustory.web.models.stories import (
    ArticlePage,
    Changes,
    RelatedOut,
    Size,
    Sort,
    Status,
    StoryDetail,
    StoryPage,
    Timeline,
)
from ustory.web.openapi_answers import Responses, answers
from ustory.web.pages.formatting import with_query
from ustory.web.story_reader import StoryReader, check_text

router = APIRouter(prefix="/api", tags=["stories"])

StoryId = Annotated[
    str, Path(pattern="^[A-Za-z0-9_-]{1,40}$", examples=["s000001"], alias="story")
]
Cursor = Annotated[
    str | None,
    Query(
        pattern="^[A-Za-z0-9_-]+$", max_length=1_000, description="`next` of a page."
    ),
]
Limit = Annotated[int, Query(ge=1, le=200)]
_MOVED: Responses = {
    308: {
        "description": "The story was merged: `Location` is where it is told now.",
        "headers": {
            "Location": {
                "schema": {"type": "string"},
                "example": "/api/stories/s000006",
            }
        },
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"merged_into": {"type": "string"}},
                },
                "example": {"merged_into": "s000006"},
            }
        },
    }
}


Reader = Annotated[ReaderTag | None, Query(description=READER, examples=["de"])]


class StoryFilter(BaseModel):
    """Which stories, and in which order."""

    q: Line | None = Field(None, description="Words of its articles or headline.")
    status: Status | None = Field(
        None, description="Live and expired ones, when left out."
    )
    since: Moment | None = Field(None, description="With articles since then.")
    until: Moment | None = Field(None, description="That began before then.")
    keyword: Annotated[Line, Field(max_length=200)] | None = None
    source: Annotated[Line, Field(max_length=300)] | None = None
    lang: Annotated[Line, Field(max_length=35)] | None = Field(
        None, description="With an article in this language."
    )
    size: Size | None = Field(
        None, description="With up to 2 articles, up to 9, or more."
    )
    sort: Sort = "heat"
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None, Field(pattern="^[A-Za-z0-9_-]+$", max_length=1_000)
    ] = None

    reader: ReaderTag | None = Field(None, description=READER, examples=["de"])

    @property
    def languages(self) -> Tags:
        """The languages of the reader."""
        return tags_of(self.reader)

    def query(self) -> StoryQuery:
        """Return the question as the store takes it."""
        return StoryQuery(
            status=self.status,
            since=self.since,
            until=self.until,
            keyword=self.keyword,
            source=self.source,
            lang=self.lang,
            size=self.size,
            text=self.q,
            sort=self.sort,
            limit=self.limit,
            cursor=self.cursor,
        )


@router.get("/stories", responses=answers(StoryPage, 400, 404))
def stories(service: Served, wanted: Annotated[StoryFilter, Query()]) -> StoryPage:
    """List stories, page by page, with how many there are."""
    check_text(wanted.q)
    with service.store.read() as connection:
        reader = StoryReader(connection, service.clock(), wanted.languages)
        return reader.stories(wanted.query())


@router.get(
    "/stories/{story}",
    response_model=StoryDetail,
    responses={**answers(StoryDetail, 404), **_MOVED},
)
def story(
    service: Served,
    story: StoryId,
    follow: Annotated[
        bool, Query(description="False tells of a merged story as it last stood.")
    ] = True,
    reader: Reader = None,
) -> Response | StoryDetail:
    """Tell all about a story: articles, days with their keywords, events, related ones.

    A story that was merged redirects to the one it is part of now.
    """
    with service.store.read() as connection:
        stories = StoryReader(connection, service.clock(), tags_of(reader))
        row = stories.story(story)
        now = stories.present_id(row)
        if follow and now != row.id:
            place = with_query(f"/api/stories/{now}", {"reader": reader})
            return JSONResponse({"merged_into": now}, 308, {"Location": place})
        return stories.detail(row)


@router.get("/stories/{story}/articles", responses=answers(ArticlePage, 404))
def articles(
    service: Served, story: StoryId, limit: Limit = 50, cursor: Cursor = None
) -> ArticlePage:
    """List the articles of a story, the newest first."""
    with service.store.read() as connection:
        reader = StoryReader(connection, service.clock())
        return reader.articles(reader.story(story), limit, cursor)


@router.get("/stories/{story}/timeline", responses=answers(Timeline, 404))
def timeline(
    service: Served,
    story: StoryId,
    days: Annotated[int, Query(ge=1, le=1_000, description="The last so many.")] = 365,
) -> Timeline:
    """Tell a story day by day: its articles, its keywords, and what happened to it."""
    with service.store.read() as connection:
        reader = StoryReader(connection, service.clock())
        row = reader.story(story)
        return Timeline(
            story=row.id, days=reader.days(row, days), events=reader.events(row)
        )


@router.get("/stories/{story}/related", responses=answers(RelatedOut, 404))
def related(
    service: Served,
    story: StoryId,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
    reader: Reader = None,
) -> RelatedOut:
    """List the stories that share most keywords with one."""
    with service.store.read() as connection:
        stories = StoryReader(connection, service.clock(), tags_of(reader))
        return RelatedOut(stories=stories.related(stories.story(story), limit))


@router.get("/changes", responses=answers(Changes, 404))
def changes(
    service: Served,
    since: Annotated[
        Moment | None, Query(description="A time; all changes when left out.")
    ] = None,
    after: Annotated[
        str | None,
        Query(
            pattern="^[0-9]{1,18}-[0-9a-f]{0,64}$",
            description="`after` of an earlier answer; `since` does not count then.",
        ),
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    reader: Reader = None,
) -> Changes:
    """List the stories that changed since a moment or a mark, as they stand now.

    To follow the archive without a gap, read all pages and give `after` of the last
    one the next time. A mark that the archive does not know is answered with 404.
    """
    begin = since if after is None else after
    with service.store.read() as connection:
        stories = StoryReader(connection, service.clock(), tags_of(reader))
        return stories.changes(begin, limit, cursor)
