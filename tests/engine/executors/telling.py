"""Streams told by executors, and everything that came of them, to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import chain

from ustory import Article, Discovery, Settings
from ustory.core.protocols import Executor
from ustory.core.story import Event
from ustory.sources import open_source
from ustory_bench.simulate import SimulationPlan, simulate

Told = list[tuple[str, tuple[Event, ...]]]

SETTINGS = {
    "links": Settings(encoder="tiny"),
    "gists": Settings(encoder="tiny", gist_encoder="tiny"),
    "paper": Settings.paper(min_articles=3).with_({"encoder": "tiny"}),
    "two sentences": Settings.paper(min_articles=3).with_(
        {"encoder": "tiny", "sentences": 2}
    ),
}
"""Both modes, with an encoder that is fast; one reads articles another way."""


def told(
    articles: Iterable[Article], settings: Settings, executor: Executor | None
) -> Told:
    """Return the hash of the state after each slide of a stream, and its events."""
    discovery = Discovery(settings, executor=executor)
    results = chain(discovery.add(articles), discovery.finish())
    freeze = discovery.engine.freeze
    return [(sha256(freeze(r.state)).hexdigest(), r.events) for r in results]


def invented(articles: int, days: int) -> list[Article]:
    """Return a simulated stream."""
    return list(simulate(SimulationPlan(articles=articles, days=days, sentences=8)))


def read(path: str) -> Iterator[Article]:
    """Yield the articles of a file."""
    for arrival in open_source(path).read():
        yield replace(arrival.article, label=None)
