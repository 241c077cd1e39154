"""Everything there is, or a part of it, as files."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.store.export import FORMATS
from ustory.store.export import export as export_pieces
from ustory.store.export_filters import ExportFilter, UnknownStoryError
from ustory.web.access import Served
from ustory.web.errors import ApiError
from ustory.web.guards import Held
from ustory.web.models.shared import Line, Moment
from ustory.web.models.stories import Status
from ustory.web.openapi_answers import refusals, streamed

router = APIRouter(prefix="/api", tags=["export"])
_EXAMPLES = {
    "application/x-ndjson": '{"id": "s000001", "status": "live"}\n',
    "text/csv": "id,status\r\ns000001,live\r\n",
    "application/vnd.apache.parquet": "PAR1…",
}


class ExportQuery(BaseModel):
    """Which rows, and in which format."""

    format: Literal["jsonl", "csv", "parquet"] = "jsonl"
    story: str | None = Field(
        None,
        pattern="^[A-Za-z0-9_-]{1,40}$",
        description="Of this story; articles of a merged one are in the other now.",
    )
    source: Annotated[Line, Field(max_length=300)] | None = Field(
        None, description="Articles of it, or stories that it wrote about."
    )
    lang: Annotated[Line, Field(max_length=35)] | None = None
    status: Status | None = Field(None, description="Of stories.")
    keyword: Annotated[Line, Field(max_length=200)] | None = Field(
        None, description="Of stories."
    )
    since: Moment | None = Field(
        None, description="Published, with articles, or happened since then."
    )
    until: Moment | None = Field(
        None, description="Published, begun, or happened before then."
    )

    def wanted(self) -> ExportFilter:
        """Return the filter as the store takes it."""
        return ExportFilter(**self.model_dump(exclude={"format"}))


@router.get(
    "/export/{kind}",
    response_class=StreamingResponse,
    responses={
        **streamed(_EXAMPLES, "A file, written while it is read."),
        **refusals(404, 501),
    },
)
def export(
    service: Served,
    kind: Annotated[Literal["stories", "articles", "events", "assignments"], Path()],
    asked: Annotated[ExportQuery, Query()],
) -> StreamingResponse:
    """Return stories, articles, events or assignments as JSON Lines, CSV or Parquet.

    All of them, or those that fit every filter. A filter that does not fit the kind is
    refused with 400, which says which do. In CSV, text that a spreadsheet would run as
    a formula has an apostrophe in front.
    """
    try:
        pieces = export_pieces(service.store.read, kind, asked.format, asked.wanted())
    except MissingExtraError as error:
        raise ApiError(501, str(error)) from None
    except UnknownStoryError as error:
        raise ApiError(404, str(error)) from None
    except ConfigError as error:
        raise ApiError(400, str(error)) from None
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
