"""The map as SVG: one path for all marks of a story, and its name beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

from ustory.service.map import Spot
from ustory.web.models.views import MapStory

WIDTH, HEIGHT = 500, 460
"""The size of a drawing; the page scales it."""
AIR = 16
"""What stays free at its edges."""
SHAPES: Mapping[str, str] = {
    "circle": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "square": "m-4.5-4.5h9v9h-9z",
    "diamond": "m0-6l6 6-6 6-6-6z",
    "triangle-up": "m0-6l6 10.5h-12z",
    "cross": "m-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "x": "m-3.5-6l3.5 3.5 3.5-3.5 2.5 2.5-3.5 3.5 3.5 3.5-2.5 2.5-3.5-3.5-3.5 3.5"
    "-2.5-2.5 3.5-3.5-3.5-3.5z",
    "star": "m0-6l1.6 4h4.4l-3.4 2.7 1.2 4.3-3.8-2.5-3.8 2.5 1.2-4.3-3.4-2.7h4.4z",
    "hexagon": "m-3-5.2h6l3 5.2-3 5.2h-6l-3-5.2z",
}
"""The marks of the largest stories, for readers who do not see their colours: each is
the rest of a path that begins in its middle."""
COLOURED = len(SHAPES)
"""Stories with their own colour and mark."""
_DOT = "h0"
"""All others: a line without length, whose round ends are a dot."""
_LETTER, _LINE, _MAX_LETTERS = 8, 16, 26
"""Width and height of a letter of a name, about; letters of a name."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The marks of one story, or of all articles that are in none that is named."""

    story: MapStory | None
    series: int
    """The number of its colour, from 1; 0 is grey."""
    path: str


@dataclass(frozen=True, slots=True)
class NameOnMap:
    """The name of a story beside its marks."""

    x: int
    y: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MapDrawing:
    """One of the two pictures."""

    marks: tuple[Marks, ...]
    """From the back to the front."""
    names: tuple[NameOnMap, ...]


def map_drawing(
    spots: Sequence[Spot],
    stories: Sequence[MapStory],
    place: Callable[[Spot], tuple[float, float]],
) -> MapDrawing:
    """Return the drawing of some articles; the first stories have colours."""
    places = _scaled([place(spot) for spot in spots])
    known = {story.id for story in stories}
    by_story: dict[str | None, list[Place]] = {}
    for spot, found in zip(spots, places, strict=True):
        by_story.setdefault(spot.story if spot.story in known else None, []).append(
            found
        )
    marks = [Marks(story=None, series=0, path=_drawn(by_story.get(None, ()), _DOT))]
    shapes = list(SHAPES.values())
    for number in reversed(range(len(stories))):
        story = stories[number]
        shape = shapes[number] if number < COLOURED else _DOT
        marks.append(
            Marks(
                story=story,
                series=number + 1 if number < COLOURED else 0,
                path=_drawn(by_story.get(story.id, ()), shape),
            )
        )
    names = _names(
        [(story, by_story.get(story.id, [])) for story in stories[:COLOURED]]
    )
    return MapDrawing(marks=tuple(marks), names=names)


def _scaled(places: Sequence[tuple[float, float]]) -> list[Place]:
    """Return places in whole units of the drawing; up is up."""
    if not places:
        return []
    columns = list(zip(*places, strict=True))
    low = [min(column) for column in columns]
    span = [max(max(column) - min(column), 1e-9) for column in columns]
    wide, high = WIDTH - 2 * AIR, HEIGHT - 2 * AIR
    return [
        (
            AIR + round((x - low[0]) / span[0] * wide),
            HEIGHT - AIR - round((y - low[1]) / span[1] * high),
        )
        for x, y in places
    ]


def _drawn(places: Sequence[Place], shape: str) -> str:
    """Return one path for marks of one shape.

    Dots are given as steps from one to the next, in the order of their places: small
    numbers are packed best.

    >>> _drawn([(9, 5), (7, 2)], "h0"), _drawn([(9, 5)], "h2z")
    ('m7 2h0m2 3h0', 'M9 5h2z')
    """
    if shape != _DOT:
        return "".join(f"M{x} {y}{shape}" for x, y in sorted(places))
    parts, last = [], (0, 0)
    for x, y in sorted(set(places)):
        parts.append(f"m{x - last[0]} {y - last[1]}{_DOT}".replace(" -", "-"))
        last = x, y
    return "".join(parts)


def _names(found: Sequence[tuple[MapStory, Sequence[Place]]]) -> tuple[NameOnMap, ...]:
    """Return the names of stories above or below most of their marks.

    The largest story is placed first, and no name upon another: one without room is
    left out.
    """
    made: list[NameOnMap] = []
    for story, places in found:
        words = _named(story.keywords)
        if not places or not words:
            continue
        half = len(words) * _LETTER // 2
        middle = median_low(x for x, _ in places)
        x = min(max(middle, half), WIDTH - half)
        heights = sorted(y for _, y in places)
        top, low = heights[len(heights) // 10], heights[-1 - len(heights) // 10]
        rooms = (
            NameOnMap(x, y, words)
            for by in range(3)
            for y in (top - 10 - by * _LINE, low + 18 + by * _LINE)
        )
        free = (name for name in rooms if _has_room(name, made))
        if (name := next(free, None)) is not None:
            made.append(name)
    return tuple(made)


def _named(keywords: Sequence[str]) -> str:
    """Return a name for a story: two keywords, none of which is part of another.

    >>> _named(["korea", "north korea", "north", "missile"])
    'north korea, missile'
    """
    first = keywords[:5]
    whole = [
        word
        for word in first
        if not any(word in other and word != other for other in first)
    ]
    return ", ".join(whole[:2])[:_MAX_LETTERS]


def _has_room(name: NameOnMap, others: Sequence[NameOnMap]) -> bool:
    if not _LINE <= name.y <= HEIGHT - 4:
        return False
    return all(
        abs(name.y - other.y) >= _LINE
        or abs(name.x - other.x) * 2 >= (len(name.words) + len(other.words)) * _LETTER
        for other in others
    )
