"""Map: the window's articles in the plane, with themes and without (Fig. 9)."""

from __future__ import annotations

from operator import attrgetter
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import Response

from ustory.core.wording import percent
from ustory.store.results import last_event
from ustory.web.access import Served
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.map_drawing import (
    AIR,
    COLOURED,
    HEIGHT,
    SHAPES,
    WIDTH,
    map_drawing,
)
from ustory.web.pages.render import Page, reader_of, show
from ustory.web.view_data import map_stories

router = page_router()


@router.get("/map")
def map_page(
    request: Request,
    service: Served,
    find: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show the map; `find` is a story to point out."""
    picture = service.map.picture
    with service.store.read() as connection:
        stories = map_stories(connection, picture, reader=reader_of(request).tags)
        event = last_event(connection)
    drawings = {
        name: map_drawing(picture.spots, stories, attrgetter(name))
        for name in ("thematic", "plain")
    }
    behind = service.map.is_behind
    values = {
        "script": "map" if picture.spots or behind else "first",
        "picture": picture,
        "behind": behind,
        "stories": stories,
        "drawings": drawings,
        "size": (WIDTH, HEIGHT, AIR),
        "found": find if find in {story.id for story in stories} else None,
        "coloured": COLOURED,
        "shapes": list(SHAPES.values()),
        "assigned": sum(spot.story is not None for spot in picture.spots),
        "summary": _summary(picture.thematic, picture.plain),
    }
    page = Page("map", "Map", values, twin="/api/map", event=event, plots=True)
    return show(request, service, page)


def _summary(thematic: float | None, plain: float | None) -> str:
    """Return a comparison of the two pictures, in a sentence."""
    if thematic is None or plain is None:
        return "There are not enough stories yet to compare the two."
    return (
        f"With themes, {percent(thematic)} of the articles have their nearest "
        f"neighbour in their own story; with all sentences alike, {percent(plain)}."
    )
