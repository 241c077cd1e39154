"""What happens to stories, as it happens."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from ustory.web import sse
from ustory.web.access import the_caller, the_service
from ustory.web.broadcast import Wanted
from ustory.web.guards import Held
from ustory.web.openapi_answers import refusals

router = APIRouter(prefix="/api", tags=["events"])


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events, as they come; each as described here.",
            "content": {sse.MEDIA_TYPE: {"schema": sse.SCHEMA, "example": sse.EXAMPLE}},
        },
        **refusals(),
    },
)
async def events(
    request: Request,
    last_event_id: Annotated[
        str | None,
        Header(description="The last event you know: the stream goes on behind it."),
    ] = None,
    after: Annotated[
        int | None,
        Query(ge=0, le=2**53, description="The same, where headers cannot be set."),
    ] = None,
    limit: Annotated[
        int | None,
        Query(ge=1, le=100_000, description="End the stream after so many events."),
    ] = None,
    story: Annotated[
        str | None, Query(max_length=40, description="Only of this story.")
    ] = None,
    kind: Annotated[
        list[Annotated[str, Field(max_length=40)]] | None,
        Query(max_length=20, description="Only of this kind; may be repeated."),
    ] = None,
) -> StreamingResponse:
    """Stream the ledger: births, growth, merges, splits… of stories.

    Without `Last-Event-ID` or `after` the stream begins with the next event; 0 is from
    the very first. A comment is sent when nothing happens for a while.
    """
    service = the_service(request)
    caller = the_caller(request)
    keyed = caller.name is not None
    service.places.take(caller.id, keyed=keyed)
    known = sse.event_number(last_event_id)
    wanted = Wanted(
        after=after if known is None else known,
        limit=limit,
        story=story,
        kinds=frozenset(kind or ()),
    )
    stream = Held(
        service.broadcaster.stream(wanted),
        media_type=sse.MEDIA_TYPE,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    return stream.until_sent(partial(service.places.leave, caller.id, keyed=keyed))
