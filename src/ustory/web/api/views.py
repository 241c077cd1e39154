"""What is behind the pages: sizes over time, the map, how the service works."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ustory.web.access import Calling, Served
from ustory.web.api.stories import Reader
from ustory.web.models.operations import OperationsOut
from ustory.web.models.shared import READER, Moment, ReaderTag, tags_of
from ustory.web.models.views import MapOut, TimelineOut, Zoom
from ustory.web.openapi_answers import answers
from ustory.web.view_data import Stretch, map_out, operations, timeline

router = APIRouter(prefix="/api", tags=["pages"])


class StretchIn(BaseModel):
    """What part of the stream, and which stories of it."""

    zoom: Zoom = Field("day", description="The length of a step.")
    days: Annotated[int, Field(ge=1, le=92)] = Field(
        14, description="How many; by the hour no more than 7."
    )
    until: Moment | None = Field(
        None, description="The end; that of the last slide, when left out."
    )
    sort: Literal["size", "heat"] = "size"
    limit: Annotated[int, Field(ge=1, le=20)] = 8
    reader: ReaderTag | None = Field(None, description=READER, examples=["de"])

    def stretch(self) -> Stretch:
        """Return it as it is looked for."""
        return Stretch(
            zoom=self.zoom,
            days=self.days,
            until=self.until,
            sort=self.sort,
            limit=self.limit,
            reader=tags_of(self.reader),
        )


@router.get("/timeline", responses=answers(TimelineOut))
def sizes(service: Served, wanted: Annotated[StretchIn, Query()]) -> TimelineOut:
    """Tell how large the top stories were, day by day or hour by hour."""
    with service.store.read() as connection:
        return timeline(connection, service, wanted.stretch())


@router.get("/map", responses=answers(MapOut))
def places(
    service: Served,
    articles: Annotated[
        bool, Query(description="Whether the articles and their places come too.")
    ] = True,
    reader: Reader = None,
) -> MapOut:
    """Return the newest articles of the window in two dimensions, two ways.

    The map is drawn after each slide, and what stays in the window hardly moves.
    """
    with service.store.read() as connection:
        return map_out(connection, service, articles=articles, reader=tags_of(reader))


@router.get("/operations", responses=answers(OperationsOut))
def works(service: Served, caller: Calling) -> OperationsOut:
    """Tell how the service works: lag, time per step, memory, recent problems."""
    with service.store.read() as connection:
        return operations(connection, service, whole=caller.may("admin"))
