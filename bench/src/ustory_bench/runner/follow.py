"""Runs a method over a prepared stream, slide by slide, and times it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from ustory.core.article import PreparedArticle
from ustory.core.protocols import Discoverer
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.scores.windows import AssignmentRow
from ustory.window.slides import RawSlide, Slicer

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class SlideStories:
    """The stories that a method has after one slide, and how long the slide took."""

    end: datetime
    stories: Mapping[str, str | None]
    """The story of each article in the window, None for an unassigned one."""
    seconds: float
    """Of the method alone: text and encodings were ready before."""


def follow(
    discoverer: Discoverer[State],
    articles: Sequence[PreparedArticle],
    settings: Settings,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[SlideStories]:
    """Yield the stories of a method after each slide of a stream, oldest first.

    The slides are those of `ustory discover`: quiet ones of the calendar included,
    until the window has run empty. `settings` give W and S; article ids are unique.
    """
    yield from follow_slides(discoverer, prepared_slides(articles, settings), clock)


def follow_slides(
    discoverer: Discoverer[State],
    slides: Iterable[Slide],
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[SlideStories]:
    """Yield the stories of a method after each of some slides, oldest first."""
    state = discoverer.begin()
    inside: Mapping[str, str | None] = {}
    for slide in slides:
        if not slide.articles and not inside:
            continue  # an empty slide of an empty window changes nothing
        start = clock()
        state, _ = discoverer.advance(state, slide)
        seconds = clock() - start
        inside = dict(discoverer.assignments(state))
        yield SlideStories(slide.end, inside, seconds)


def rows(slides: Iterable[SlideStories]) -> Iterator[AssignmentRow]:
    """Yield the stories after slides as the rows that scores are made from."""
    for each in slides:
        for article, story in each.stories.items():
            yield AssignmentRow(each.end, article, story)


def prepared_slides(
    articles: Sequence[PreparedArticle], settings: Settings
) -> Iterator[Slide]:
    """Yield the slides of a stream, to the end of its last article's."""
    ready = {one.article.id: one for one in articles}

    def prepared(raw: RawSlide) -> Slide:
        return Slide(end=raw.end, articles=[ready[a.id] for a in raw.articles])

    slicer = Slicer(settings)
    for one in articles:
        yield from map(prepared, slicer.push(one.article))
    yield from map(prepared, slicer.flush())
