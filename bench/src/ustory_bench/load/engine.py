"""A load against an engine in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.encode import load_encoder
from ustory.stories.discovery import Discovery, find_stories
from ustory.text import load_pipeline
from ustory_bench.load.figures import LoadReport, Times, peak_mib, resident_mib
from ustory_bench.load.pace import Pace
from ustory_bench.simulate import SimulationPlan, simulate

_WARM = SimulationPlan(articles=80, stories=5, days=10, sentences=5)


def warm_discovery(settings: Settings) -> Discovery:
    """Return a new discovery, once compiled code and tables are in memory.

    They are loaded, and on a new machine compiled, only once in the life of a process;
    a load is to say what it does from then on.
    """
    encoder, pipeline = load_encoder(settings.encoder), load_pipeline(settings.text)
    find_stories(simulate(_WARM), settings, encoder=encoder, pipeline=pipeline)
    return Discovery(settings, encoder=encoder, pipeline=pipeline)


def load_engine(
    discovery: Discovery,
    articles: Iterable[Article],
    pace: Pace,
    show: Callable[[Pace], None],
) -> LoadReport:
    """Hand articles to an engine at a pace, and return how it bore them.

    Meanwhile `show` is told how far it is. A slide is timed from the moment that its
    articles are all there; the last one is closed when there are no more.
    """
    watch = _Watch()
    began = time.perf_counter()
    handed = watch.looking_on(pace.one_by_one(articles), pace, show)
    for results in (discovery.add(handed), discovery.finish()):
        watch.free()
        for _ in results:
            watch.slide()
    return LoadReport(
        against="engine",
        rate=pace.rate,
        articles=pace.handed,
        seconds=time.perf_counter() - began,
        slides=Times.of(watch.slides),
        lag=Times.of(pace.lags) if pace.rate else None,
        last_lag=pace.lag,
        memory_mib=resident_mib(),
        peak_mib=max(peak_mib(), resident_mib()),
        window=len(discovery.state.records),
        stories=len(discovery.state.stories),
        steps=dict(discovery.stopwatch.seconds),
    )


class _Watch:
    """Times slides: from when the engine was free last to when one is done. Mutable."""

    def __init__(self) -> None:
        self.slides: list[float] = []
        self._since = time.perf_counter()

    def free(self) -> None:
        self._since = time.perf_counter()

    def slide(self) -> None:
        now = time.perf_counter()
        self.slides.append(now - self._since)
        self._since = now

    def looking_on(
        self, articles: Iterator[Article], pace: Pace, show: Callable[[Pace], None]
    ) -> Iterator[Article]:
        for article in articles:
            show(pace)
            self.free()  # what follows is the engine's, not the waiting for articles
            yield article
