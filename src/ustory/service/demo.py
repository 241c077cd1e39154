"""The demo streams, played from their middle: a few articles every minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ustory.core.protocols import Arrival, Source
from ustory.sources.demo import demo_stream, languages_stream
from ustory.sources.open import open_source

AT_ONCE = timedelta(days=8)
"""The part of the stream that is loaded immediately: a week, and the day before."""
LANGUAGES_AT_ONCE = timedelta(days=2)
"""That of the stream in six languages, which has five days."""
SLIDE = timedelta(hours=2)
"""The slide of the demo: nearly every article ends one."""
PACE = 50.0
"""Seconds that a day takes after that: six days are five minutes."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoProgress:
    """How far the demo is."""

    day: int
    """The day of the stream, from 1 on; 0 before the first article."""
    days: int
    is_over: bool
    """Whether the last article came in."""


class DemoSource:
    """The demo stream in accelerated time; `wait` sleeps for some seconds.

    After the first days each day takes `pace` seconds, and its articles come evenly:
    nights would be long pauses. Mutable: it knows how far it is.
    """

    live = False

    def __init__(
        self,
        pace: float,
        wait: Callable[[float], object],
        source: Source | None = None,
        *,
        at_once: timedelta = AT_ONCE,
        name: str = "demo",
    ) -> None:
        self._pace = pace
        self._wait = wait
        self._at_once = at_once
        self._name = name
        self._source = source or open_source(str(demo_stream()), kind="jsonl")
        dates = [each.article.published_at for each in self._source.read()]
        self._start = _midnight(min(dates))
        self._on_day = Counter(map(self._day, dates))
        self._now = DemoProgress(day=0, days=max(self._on_day), is_over=False)

    @property
    def name(self) -> str:
        """The name of its cursor."""
        return self._name

    @property
    def progress(self) -> DemoProgress:
        """How far it is."""
        return self._now

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles after the cursor, each at its time."""
        days = self._now.days
        for arrival in self._source.read(after):
            moment = arrival.article.published_at
            day = self._day(moment)
            if moment >= self._start + self._at_once:
                self._wait(self._pace / self._on_day[day])
            self._now = DemoProgress(day=day, days=days, is_over=False)
            yield arrival
        self._now = DemoProgress(day=days, days=days, is_over=True)

    def _day(self, moment: datetime) -> int:
        return (moment - self._start) // _DAY + 1


def languages_demo(pace: float, wait: Callable[[float], object]) -> DemoSource:
    """Return the stream in six languages in accelerated time."""
    source = open_source(str(languages_stream()), kind="jsonl")
    return DemoSource(
        pace, wait, source, at_once=LANGUAGES_AT_ONCE, name="demo-languages"
    )


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
