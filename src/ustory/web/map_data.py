"""The map of articles with the stories on it: the data of the map's page."""

from __future__ import annotations

from collections import Counter

from ustory.service.map import Picture
from ustory.store import Connection
from ustory.store.listing import stories_by_id
from ustory.web.models.map import MapOut, MapStory, SpotOut
from ustory.web.service import Service

STORIES = 20
"""Stories that are named: those with most articles on the map."""


def map_out(connection: Connection, service: Service) -> MapOut:
    """Return the newest map; nothing is computed."""
    picture = service.map.picture
    return MapOut(
        slide=picture.slide or None,
        end=picture.end,
        behind=service.map.is_behind,
        inside=picture.inside,
        thematic=picture.thematic,
        plain=picture.plain,
        stories=map_stories(connection, picture),
        articles=[SpotOut.of(spot) for spot in picture.spots],
    )


def map_stories(
    connection: Connection, picture: Picture, limit: int = STORIES
) -> list[MapStory]:
    """Return the stories with most articles on a map."""
    sizes = Counter(spot.story for spot in picture.spots if spot.story is not None)
    top = sorted(sizes, key=lambda story: (-sizes[story], story))[:limit]
    rows = stories_by_id(connection, top)
    return [
        MapStory(
            id=story,
            headline=rows[story].headline,
            keywords=list(rows[story].keywords),
            articles=sizes[story],
        )
        for story in top
        if story in rows
    ]
