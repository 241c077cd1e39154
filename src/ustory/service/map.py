"""The map: the window's newest articles in the plane, drawn after each slide."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event as Signal

from ustory.engine.state import Record, State
from ustory.service.current_problems import kind_of, words_of
from ustory.service.loop import Loop
from ustory.service.plane import Neighbours, Plane, draw
from ustory.service.views import MAX_ARTICLES, Viewer, Views

MAP = "map"
_LOOK = 0.25
"""Seconds between two checks for a new slide."""
_SHARE = 4.0
"""After a map, wait this many times as long as it took: slides come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """An article on the map."""

    id: str
    title: str
    published_at: datetime
    story: str | None
    thematic: tuple[float, float]
    plain: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The map after a slide."""

    slide: int = 0
    """The last slide it shows, 0 before the first."""
    end: datetime | None = None
    inside: int = 0
    """Articles in the window; the newest are on the map."""
    spots: tuple[Spot, ...] = ()
    thematic: float | None = None
    """Share of articles whose nearest one is in the same story, by ThemSentMean."""
    plain: float | None = None
    """The same by IndSentMean."""
    seconds: float = 0.0
    """Time it took to draw."""


@dataclass(frozen=True, slots=True)
class _Planes:
    thematic: Plane = field(default_factory=Plane)
    plain: Plane = field(default_factory=Plane)


class MapMaker:
    """Draws the map in its own thread; any thread may read `picture`. Mutable."""

    def __init__(self, loop: Loop, newest: int = MAX_ARTICLES) -> None:
        self._loop = loop
        self._viewer = Viewer(loop.runner, newest)
        self._planes = _Planes()
        self._drawn: State | None = None
        self.picture = Picture()
        """The newest map; it is replaced, never changed."""

    @property
    def is_behind(self) -> bool:
        """Whether there is a slide that the map does not show yet."""
        return self._loop.slide > self.picture.slide

    def run(self, stop: Signal) -> None:
        """Draw the map after each slide, until `stop` is set."""
        while not stop.is_set():
            rest = _LOOK
            try:
                if self.update(stop.is_set):
                    rest = max(_LOOK, _SHARE * self.picture.seconds)
            except Exception as error:  # noqa: BLE001 - it must outlive any error
                self._loop.problems.begin(MAP, kind_of(error), words_of(error))
                rest = 60.0
            else:
                self._loop.problems.end(MAP)
            stop.wait(rest)

    def update(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Draw the map if there was a slide; return whether it was drawn."""
        slide, state = self._loop.slide, self._loop.state
        if state is self._drawn or not slide:
            return False
        began = time.perf_counter()
        views = self._viewer.views(state)
        names = views.names
        if not names:  # a window without articles is an empty map
            self._planes, self._drawn = _Planes(), state
            self.picture = Picture(slide=slide, end=state.end)
            return True
        near = [Neighbours.of(rows) for rows in (views.thematic, views.plain)]
        thematic = draw(names, views.thematic, near[0], self._planes.thematic, is_over)
        plain = draw(names, views.plain, near[1], self._planes.plain, is_over)
        if not self._planes.plain.places:
            # turned alike at first, so that readers can compare them
            plain = plain.turned_like(thematic)
        if is_over():
            return False
        self._planes, self._drawn = _Planes(thematic, plain), state
        self.picture = Picture(
            slide=slide,
            end=state.end,
            inside=len(state.records),
            spots=_spots(views, thematic, plain),
            thematic=near[0].shared(views.stories),
            plain=near[1].shared(views.stories),
            seconds=round(time.perf_counter() - began, 3),
        )
        return True


def _spots(views: Views, thematic: Plane, plain: Plane) -> tuple[Spot, ...]:
    def spot(record: Record, story: str | None) -> Spot:
        return Spot(
            id=record.id,
            title=record.title,
            published_at=record.published_at,
            story=story,
            thematic=thematic.places[record.id],
            plain=plain.places[record.id],
        )

    return tuple(map(spot, views.records, views.stories))
