"""The parts of a stream that a figure looks at: its busiest days, those between."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, groupby

from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.window.panes import Calendar
from ustory_bench.runner.score import duration
from ustory_bench.runner.streams import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The articles from `start` up to `end`, which is left out; oldest first."""

    start: datetime
    end: datetime
    articles: tuple[PreparedArticle, ...]


def busiest(stream: Stream, span: timedelta, settings: Settings) -> Stretch:
    """Return the `span` up to the end of a slide with the most labelled articles.

    The earliest wins a tie.
    """
    times = [one.article.published_at for one in stream.articles]
    labels = (one.article.label is not None for one in stream.articles)
    labelled = list(accumulate(labels, initial=0))
    calendar = calendar_of(settings)
    ends = sorted({calendar.slide_end(time) for time in times})
    if not ends:
        raise ConfigError(f"a stretch needs articles; {stream.name} has none")

    def held(end: datetime) -> int:
        first, last = bisect_left(times, end - span), bisect_left(times, end)
        return labelled[last] - labelled[first]

    end = max(ends, key=held)
    return between(stream, end - span, end)


def between(stream: Stream, start: datetime, end: datetime) -> Stretch:
    """Return the articles of a stream from `start` up to `end`, which is left out."""
    times = [one.article.published_at for one in stream.articles]
    part = stream.articles[bisect_left(times, start) : bisect_left(times, end)]
    return Stretch(start=start, end=end, articles=tuple(part))


def joined(stream: Stream, stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return stretches as the fewest that hold the same days, oldest first."""
    spans: list[tuple[datetime, datetime]] = []
    for each in sorted(stretches, key=lambda stretch: stretch.start):
        if spans and each.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], each.end))
        else:
            spans.append((each.start, each.end))
    return [between(stream, start, end) for start, end in spans]


def in_turn(
    articles: Sequence[PreparedArticle], settings: Settings
) -> Iterator[tuple[PreparedArticle, ...]]:
    """Yield the articles of windows that follow one another and do not overlap."""
    if not articles:
        return
    window, slide = duration(settings.window), duration(settings.slide)
    first = articles[0].article.published_at
    start = calendar_of(settings).slide_end(first) - slide
    for _, part in groupby(
        articles, lambda one: (one.article.published_at - start) // window
    ):
        yield tuple(part)


def calendar_of(settings: Settings) -> Calendar:
    """Return the calendar of windows by time; refuse those by number."""
    duration(settings.window)
    calendar = Calendar.of(settings)
    assert calendar is not None  # W is by time, and S has the unit of W
    return calendar
