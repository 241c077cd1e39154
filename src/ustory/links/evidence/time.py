"""Evidence by time: how far apart two articles are, learned from the stream itself.

It is not registered: its log-odds change in every slide, so links keep the days between
their articles, and time is weighed when the links are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.rules import MAX_DAYS, Arrays, Holds, Rule, Within
from ustory.links.background import fading

NODES = 8
"""Gaps are counted at multiples of W/7, from 0 to W."""

SURE = 0.2
"""Word cosine from which two articles almost surely tell one story."""

VAGUE = (0.05, 0.12)
"""Word cosines of articles that have a subject in common, and maybe a story."""

DOUBT = 10.0
"""Pairs that stand for "time says nothing" until there are many more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """How far apart articles are published that are surely, or vaguely, alike."""

    day: float = 0.0
    sure: Vector = field(default_factory=lambda: np.zeros(NODES))
    vague: Vector = field(default_factory=lambda: np.zeros(NODES))
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float64", "sure", "vague"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, 1e15, "sure", "vague"),
        Holds(
            "gaps must be counted at as many nodes as there are",
            lambda sure, vague: len(sure) == len(vague) == NODES,
            "sure",
            "vague",
        ),
    )

    def after(self, sure: Vector, vague: Vector, day: float) -> Gaps:
        """Return the counts some time later, with those of new pairs in them."""
        left = fading(day - self.day)
        return Gaps(
            day=day, sure=self.sure * left + sure, vague=self.vague * left + vague
        )

    @property
    def log_ratio(self) -> Vector:
        """(NODES,) ln P(gap | one story) - ln P(gap | a subject in common).

        Articles that are surely alike show when the articles of a story appear,
        and vaguely alike ones when those of a subject do. Where both fade alike,
        as in long affairs, time says little; where the first are hours apart and
        the second days, it says much.
        """
        pairs = min(float(self.sure.sum()), float(self.vague.sum()))
        doubt = DOUBT / (pairs + DOUBT)
        sure, vague = _shares(self.sure), _shares(self.vague)
        even = doubt * (_shares(self.sure + self.vague) + 1 / NODES) / 2
        return np.log(sure * (1 - doubt) + even) - np.log(vague * (1 - doubt) + even)

    def log_odds(self, gap: Vector) -> Vector:
        """Return the log ratio at gaps given in nodes, between nodes on a line."""
        at = np.minimum(gap, NODES - 1)
        return np.interp(at, np.arange(NODES), self.log_ratio)


def _shares(counts: Vector) -> Vector:
    total = float(counts.sum())
    return counts / total if total else np.zeros(len(counts))
