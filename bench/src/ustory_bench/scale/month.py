"""Thirty days of news for a live service: bursts, silence, and a process that dies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ustory.core.article import Article
from ustory_bench.simulate import SimulationPlan, simulate

START = datetime(2024, 3, 4, tzinfo=UTC)
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_MORE = 5
"""Days that the stream goes on behind the month: stories end with their stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """What the service goes through."""

    days: int = 30
    per_day: int = 300
    """Articles of a usual day."""
    slide: timedelta = timedelta(minutes=15)
    sentences: int = 12
    keep_texts: timedelta = timedelta(days=9)
    keep: timedelta = timedelta(days=12)
    """How long texts and articles are kept: a week of window, and some."""
    bursts: tuple[int, ...] = (4, 13, 20, 27)
    """Days on which a day's articles more come within an hour."""
    silent: tuple[int, ...] = (10, 11, 24)
    """Days without an article."""
    down: tuple[int, ...] = (6, 17, 22)
    """Days on which nobody is there for nine hours, and all comes in afterwards."""
    restarts: int = 3
    """Times a day that the process ends without a word, and another goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A moment at which the service looks around."""

    now: datetime
    articles: Sequence[Article]
    """What came in since the last one."""
    up: bool
    """Whether anybody is there."""
    restart: bool
    """Whether the process ends after it took the articles in, before it tells them."""


def ticks(month: Month) -> Iterator[Tick]:
    """Yield the moments of a month, one for each slide."""
    stream = _stream(month)
    following = next(stream, None)
    held: list[Article] = []
    count = month.days * _DAY // month.slide
    every = (_DAY // month.slide) // month.restarts if month.restarts else count + 1
    for number in range(1, count + 1):
        now = START + number * month.slide
        while following is not None and following.published_at < now:
            held.append(following)
            following = next(stream, None)
        up = not _down(month, now)
        yield Tick(
            now=now,
            articles=held if up else (),
            up=up,
            # not always at the same time of day
            restart=up and (number + number // (7 * every)) % every == 0,
        )
        held = [] if up else held


def _down(month: Month, now: datetime) -> bool:
    day, hour = divmod(now - START, _DAY)
    return day in month.down and timedelta(hours=8) <= hour < timedelta(hours=17)


def _stream(month: Month) -> Iterator[Article]:
    """Yield the articles of usual days and of bursts, oldest first."""
    days = month.days + _MORE
    usual = SimulationPlan(
        articles=days * month.per_day,
        days=days,
        sentences=month.sentences,
        start=START,
    )
    more = replace(
        usual, articles=max(len(month.bursts) * month.per_day, 1), days=1, seed=1
    )
    waiting = list(_burst(month, simulate(more)))[::-1]
    for article in simulate(usual):
        while waiting and waiting[-1].published_at <= article.published_at:
            yield waiting.pop()
        if (article.published_at - START) // _DAY not in month.silent:
            yield article
    yield from reversed(waiting)


def _burst(month: Month, articles: Iterator[Article]) -> Iterator[Article]:
    """Yield articles anew dated: each day's within an hour at noon."""
    for day in month.bursts:
        noon = START + day * _DAY + 12 * _HOUR
        for number in range(month.per_day):
            article = next(articles)
            yield replace(
                article,
                id=f"burst-{article.id}",
                url=f"{article.url}?burst",
                published_at=noon + number * _HOUR / month.per_day,
            )
