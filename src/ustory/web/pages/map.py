"""Map: the window's articles in the plane, with themes and without (Fig. 9)."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from ustory.core.wording import percent
from ustory.store.results import last_event
from ustory.web.access import Served
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.render import Page, show
from ustory.web.view_data import map_stories

COLOURED = 8
"""Stories with their own colour."""
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
"""Their marks, for readers who do not see the colours."""

router = page_router()


@router.get("/map")
def map_page(request: Request, service: Served) -> Response:
    """Show the map; its points are fetched by the page."""
    picture = service.map.picture
    with service.store.read() as connection:
        stories = map_stories(connection, picture)
        event = last_event(connection)
    values = {
        "picture": picture,
        "behind": service.map.is_behind,
        "stories": stories,
        "coloured": COLOURED,
        "shapes": SHAPES,
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
