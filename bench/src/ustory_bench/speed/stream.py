"""The stream that speed is measured on, prepared once and run many times."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path

from ustory import Article, Settings
from ustory.core.article import PreparedArticle
from ustory.core.story import Slide
from ustory.encode import load_encoder
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.state import State
from ustory.sources import open_source
from ustory.text import load_pipeline
from ustory.window.slides import Slicer

STEPS = ("window", "initial", "seeding", "assignment", "summary")
"""The steps of a slide without text and encoding."""


@dataclass(frozen=True)
class Measured:
    """One slide: seconds per step, and how large the window was."""

    seconds: dict[str, float]
    articles: int
    unassigned: int
    stories: int

    @property
    def total(self) -> float:
        """Seconds of the slide, text and encoding left out."""
        return sum(self.seconds.get(step, 0.0) for step in STEPS)


def read(path: Path) -> list[Article]:
    """Return the articles of a stream."""
    if not path.exists():
        sys.exit(f"no stream at {path}; give one with STREAM=path make bench")
    return [arrival.article for arrival in open_source(str(path)).read()]


def prepared(articles: Sequence[Article], settings: Settings) -> list[PreparedArticle]:
    """Return the articles with sentences, terms and vectors."""
    pipeline, encoder = load_pipeline(settings.text), load_encoder(settings.encoder)
    ready = prepare(articles, pipeline, encoder, Stopwatch())
    gc.collect()
    gc.freeze()  # the stream is ours, not the engine's: it is not searched for garbage
    return ready


def again(articles: Sequence[Article], after: timedelta, name: str) -> list[Article]:
    """Return the stream once more, later and under other ids."""
    return [
        replace(a, id=f"{name}{a.id}", published_at=a.published_at + after)
        for a in articles
    ]


def spread(ready: Sequence[PreparedArticle]) -> list[PreparedArticle]:
    """Return a stream of days with times of day, by a fixed hash of the id."""
    later = []
    for one in ready:
        digest = blake2b(one.article.id.encode(), digest_size=4).digest()
        seconds = int.from_bytes(digest, "big") % 86_400
        moment = one.article.published_at + timedelta(seconds=seconds)
        later.append(replace(one, article=replace(one.article, published_at=moment)))
    return sorted(later, key=lambda one: (one.article.published_at, one.article.id))


def slides(ready: Sequence[PreparedArticle], settings: Settings) -> Iterator[Slide]:
    """Yield prepared slides as the engine would get them."""
    by_id = {one.article.id: one for one in ready}
    slicer = Slicer(settings)
    for one in ready:
        for raw in slicer.push(one.article):
            yield Slide(end=raw.end, articles=[by_id[a.id] for a in raw.articles])
    for raw in slicer.flush():
        yield Slide(end=raw.end, articles=[by_id[a.id] for a in raw.articles])


def run(
    ready: Sequence[PreparedArticle], settings: Settings
) -> Iterator[tuple[Measured, State]]:
    """Run the engine and yield each slide with its times, and the state after it."""
    stopwatch = Stopwatch()
    engine = Engine(settings, load_encoder(settings.encoder), stopwatch)
    state = engine.begin()
    for slide in slides(ready, settings):
        before = dict(stopwatch.seconds)
        unassigned = len(state.unassigned) + len(slide.articles)
        state, _ = engine.advance(state, slide)
        spent = {k: v - before.get(k, 0.0) for k, v in stopwatch.seconds.items()}
        yield Measured(spent, len(state.records), unassigned, len(state.stories)), state


def full(measured: Sequence[Measured], settings: Settings) -> Sequence[Measured]:
    """Return the slides whose window was full."""
    assert isinstance(settings.window, timedelta)
    assert isinstance(settings.slide, timedelta)
    return measured[settings.window // settings.slide - 1 :]
