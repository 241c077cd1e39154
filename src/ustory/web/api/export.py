"""Everything there is, or a part of it, as files."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ustory.core.errors import MissingExtraError
from ustory.store import Connection
from ustory.store.export import FORMATS
from ustory.store.export import export as export_pieces
from ustory.store.export_filters import ExportFilter, UnknownStoryError
from ustory.store.export_view import view_numbers
from ustory.store.query import StoryQuery
from ustory.web.access import Served
from ustory.web.errors import ApiError
from ustory.web.guards import Held
from ustory.web.models.shared import Line, Moment
from ustory.web.models.stories import Size, Status
from ustory.web.openapi_answers import refusals, streamed
from ustory.web.service import Service
from ustory.web.story_reader import check_text

router = APIRouter(prefix="/api", tags=["export"])
_EXAMPLES = {
    "application/x-ndjson": '{"id": "s000001", "status": "live"}\n',
    "text/csv": "id,status\r\ns000001,live\r\n",
    "application/vnd.apache.parquet": "PAR1…",
}


_LISTED = ("q", "size", "source", "lang", "keyword")
_SHOWN = (*_LISTED, "status")
_ALL = "all"


class EventExport(BaseModel):
    """Which events, and in which format."""

    format: Literal["jsonl", "csv", "parquet"] = "jsonl"
    story: str | None = Field(
        None, pattern="^[A-Za-z0-9_-]{1,40}$", description="Only of this story."
    )
    since: Moment | None = Field(None, description="Only since then.")
    until: Moment | None = Field(None, description="Only before then.")

    def wanted(self, connection: Connection, kind: str) -> ExportFilter:
        """Return the filter as the store takes it.

        Filters that a list has, too, mean there and here the same.
        """
        given = self.model_dump(exclude={"format"}, exclude_none=True)
        is_listed = not given.keys().isdisjoint(_LISTED) or given.get("status") == _ALL
        if kind == "stories" and not is_listed:
            return ExportFilter(**given)
        shown = {name: given.pop(name) for name in _SHOWN if name in given}
        if shown.get("status") == _ALL:
            del shown["status"]
        if kind != "stories" and not shown:
            return ExportFilter(**given)
        shown["text"] = shown.pop("q", None)
        query = StoryQuery(**shown)
        return ExportFilter(**given, numbers=view_numbers(connection, kind, query))


class ArticleExport(EventExport):
    """Which articles or assignments, and in which format.

    `story` is where they are now: the articles of one that was merged are in the
    other. `since` and `until` are when they were published; `status`, `size` and
    `keyword` are those of their story.
    """

    q: Line | None = Field(None, description="Only those that a search finds.")
    source: Annotated[Line, Field(max_length=300)] | None = Field(
        None, description="Only of this source; case and signs make no difference."
    )
    lang: Annotated[Line, Field(max_length=35)] | None = Field(
        None, description="Only in this language."
    )
    status: Status | Literal["all"] | None = Field(
        None, description="Only of such stories; `all` are live and ended ones."
    )
    size: Size | None = Field(
        None, description="Of stories with up to 2 articles, up to 9, or more."
    )
    keyword: Annotated[Line, Field(max_length=200)] | None = Field(
        None, description="Only of stories that have it."
    )


class StoryExport(ArticleExport):
    """Which stories, and in which format.

    With a filter of the list and without a status they are live or ended. `source` has
    written about them, `since` they have articles, and `until` they began.
    """


_ANSWERS = {
    **streamed(_EXAMPLES, "A file, written while it is read."),
    **refusals(400, 404, 501),
}
_GET = partial(router.get, response_class=StreamingResponse, responses=_ANSWERS)


@_GET("/export/stories")
def stories(
    service: Served, asked: Annotated[StoryExport, Query()]
) -> StreamingResponse:
    """Return stories, all or those that fit every filter, as a file.

    It is JSON Lines, CSV or Parquet. In CSV, text that a spreadsheet would run as a
    formula has an apostrophe in front.
    """
    return _file(service, "stories", asked)


@_GET("/export/articles")
def articles(
    service: Served, asked: Annotated[ArticleExport, Query()]
) -> StreamingResponse:
    """Return articles with their texts, all or those that fit every filter."""
    return _file(service, "articles", asked)


@_GET("/export/assignments")
def assignments(
    service: Served, asked: Annotated[ArticleExport, Query()]
) -> StreamingResponse:
    """Return which article is in which story, all or those that fit every filter."""
    return _file(service, "assignments", asked)


@_GET("/export/events")
def events(
    service: Served, asked: Annotated[EventExport, Query()]
) -> StreamingResponse:
    """Return events, all or those that fit every filter, as a file."""
    return _file(service, "events", asked)


def _file(service: Service, kind: str, asked: EventExport) -> StreamingResponse:
    check_text(getattr(asked, "q", None))
    try:
        with service.store.read() as connection:
            wanted = asked.wanted(connection, kind)
        pieces = export_pieces(service.store.read, kind, asked.format, wanted)
    except MissingExtraError as error:
        raise ApiError(501, str(error)) from None
    except UnknownStoryError as error:
        raise ApiError(404, str(error)) from None
    if not service.exporting.acquire(blocking=False):
        raise ApiError(
            503, "too many files are being written", headers={"Retry-After": "30"}
        )
    name = f'attachment; filename="{kind}.{asked.format}"'
    answer = Held(
        pieces,
        media_type=FORMATS[asked.format].media_type,
        headers={"Content-Disposition": name},
    )
    return answer.until_sent(service.exporting.release)
