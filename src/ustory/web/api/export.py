"""Everything there is, as files."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse

from ustory.core.errors import MissingExtraError
from ustory.store.export import FORMATS
from ustory.store.export import export as export_pieces
from ustory.web.access import Served
from ustory.web.errors import ApiError
from ustory.web.guards import Held
from ustory.web.openapi_answers import refusals, streamed

router = APIRouter(prefix="/api", tags=["export"])
_EXAMPLES = {
    "application/x-ndjson": '{"id": "s000001", "status": "live"}\n',
    "text/csv": "id,status\r\ns000001,live\r\n",
    "application/vnd.apache.parquet": "PAR1…",
}


@router.get(
    "/export/{kind}",
    response_class=StreamingResponse,
    responses={
        **streamed(_EXAMPLES, "A file, written while it is read."),
        **refusals(501),
    },
)
def export(
    service: Served,
    kind: Annotated[Literal["stories", "articles", "events"], Path()],
    format_: Annotated[
        Literal["jsonl", "csv", "parquet"], Query(alias="format")
    ] = "jsonl",
) -> StreamingResponse:
    """Return every story, article or event as JSON Lines, CSV or Parquet.

    In CSV, text that a spreadsheet would run as a formula has an apostrophe in front.
    """
    try:
        pieces = export_pieces(service.store.read, kind, format_)
    except MissingExtraError as error:
        raise ApiError(501, str(error)) from None
    if not service.exporting.acquire(blocking=False):
        raise ApiError(
            503, "too many files are being written", headers={"Retry-After": "30"}
        )
    name = f'attachment; filename="{kind}.{format_}"'
    answer = Held(
        pieces,
        media_type=FORMATS[format_].media_type,
        headers={"Content-Disposition": name},
    )
    return answer.until_sent(service.exporting.release)
