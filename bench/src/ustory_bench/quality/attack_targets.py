"""Stories that attacks are tried on: large ones of labelled streams, found by labels.

What the method made of them does not matter: so every version is tried on the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory_bench.quality.streams import parts
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.streams import Stream

SIZE = 20
"""Articles that the stories should have."""
LEAST, MOST = 8, 60
PAIRS = 2
"""Pairs of each kind."""
HOURS = (0, 12)
"""The hours of a day at which stories are looked at."""

Moments = Sequence[State]


@dataclass(frozen=True, slots=True)
class Target:
    """The articles of a true story that are in the window at some moment."""

    moment: int
    label: str
    members: tuple[str, ...]
    vector: Vector


@dataclass(frozen=True, slots=True)
class Pair:
    """Two true stories at the same moment, and how alike they are."""

    one: Target
    other: Target
    alike: float

    @property
    def oddness(self) -> float:
        """How far from the size that stories should have."""
        sizes = (len(each.members) for each in (self.one, self.other))
        return sum(abs(math.log(size / SIZE)) for size in sizes)


def moments_of(stream: Stream, settings: Settings) -> list[State]:
    """Return what an engine knows at every noon and midnight of a stream."""
    engine = Engine(settings, parts()[1])
    state, found = engine.begin(), []
    for slide in prepared_slides(stream.articles, settings):
        if slide.articles or state.records:
            state, _ = engine.advance(state, slide)
            end = slide.end.astimezone(UTC)
            if end.hour in HOURS and end.minute == 0:
                found.append(state)
    return found


def pairs_of(moments: Moments, stream: Stream) -> dict[str, list[Pair]]:
    """Return pairs of stories to be joined: unrelated ones, and related ones.

    Of the pairs of a stream the half that is least alike is unrelated, the twentieth
    that is most alike related. No story is in two pairs of a kind.
    """
    every = [
        pair
        for number, state in enumerate(moments)
        for pair in _pairs(list(_targets(number, state, stream)))
    ]
    if not every:
        return {"unrelated": [], "related": []}
    levels = np.quantile([pair.alike for pair in every], [0.5, 0.95])
    return {
        "unrelated": _chosen(p for p in every if p.alike <= levels[0]),
        "related": _chosen(p for p in every if p.alike >= levels[1]),
    }


def _targets(moment: int, state: State, stream: Stream) -> Iterator[Target]:
    truth = stream.truth
    held: dict[str, list[str]] = {}
    for name in sorted(state.records):
        label = truth.get(name)
        if label is not None:
            held.setdefault(label, []).append(name)
    for label, names in sorted(held.items()):
        if LEAST <= len(names) <= MOST:
            rows = [state.link.articles[name].vector for name in names]
            mean = np.sum(rows, axis=0, dtype=np.float64)
            vector = np.asarray(mean / np.linalg.norm(mean))
            yield Target(moment, label, tuple(names), vector)


def _pairs(found: Sequence[Target]) -> Iterator[Pair]:
    for place, one in enumerate(found):
        for other in found[:place]:
            if one.label != other.label:
                yield Pair(other, one, float(one.vector @ other.vector))


def _chosen(pairs: Iterator[Pair]) -> list[Pair]:
    used: set[str] = set()
    found: list[Pair] = []
    for pair in sorted(pairs, key=lambda p: (p.oddness, p.one.moment, p.one.label)):
        labels = {pair.one.label, pair.other.label}
        if len(found) < PAIRS and not labels & used:
            found.append(pair)
            used |= labels
    return found
