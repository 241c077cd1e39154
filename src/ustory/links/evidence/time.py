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

UNITS = 7
"""Gaps are measured in units of W/7."""

PLACES = (0.0, 1 / 64, 1 / 16, 1 / 4, *(float(unit) for unit in range(1, UNITS + 1)))
"""The gaps at which pairs are counted, in units: minutes and hours matter most where
articles of a story appear together."""

NODES = len(PLACES)

DOUBT = 10.0
"""Pairs that stand for "time says nothing" until there are many more."""

RARELY = 1e-4
"""Share of pairs that any gap may have, though none was seen."""

MOST = 2.0
"""Log-odds that time adds or takes at most: a story may go on after a silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """How far apart articles are published that report one story, or two."""

    day: float = 0.0
    same: Vector = field(default_factory=lambda: np.zeros(NODES))
    """Pairs of one story at each node: each counts as it is likely."""
    other: Vector = field(default_factory=lambda: np.zeros(NODES))
    """Pairs of two stories that have a subject in common."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float64", "same", "other"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, 1e15, "same", "other"),
        Holds(
            "gaps must be counted at as many nodes as there are",
            lambda same, other: len(same) == len(other) == NODES,
            "same",
            "other",
        ),
    )

    def after(self, same: Vector, other: Vector, day: float) -> Gaps:
        """Return the counts some time later, with those of new pairs in them."""
        left = fading(day - self.day)
        return Gaps(
            day=day, same=self.same * left + same, other=self.other * left + other
        )

    @property
    def log_ratio(self) -> Vector:
        """(NODES,) ln P(gap | one story) - ln P(gap | two stories of one subject).

        Where both fade alike, as in long affairs, time says little; where the
        first are hours apart and the second days, it says much.
        """
        pairs = min(float(self.same.sum()), float(self.other.sum()))
        doubt = DOUBT / (pairs + DOUBT)
        same, other = _shares(self.same), _shares(self.other)
        even = doubt * (_shares(self.same + self.other) + 1 / NODES) / 2 + RARELY
        ratio = np.log(same * (1 - doubt) + even) - np.log(other * (1 - doubt) + even)
        return np.asarray(np.clip(ratio, -MOST, MOST))

    def log_odds(self, gap: Vector) -> Vector:
        """Return the log ratio at gaps given in units, between nodes on a line."""
        return np.interp(in_nodes(gap), np.arange(NODES), self.log_ratio)


def in_nodes(gap: Vector) -> Vector:
    """Return the place of gaps among the nodes.

    >>> in_nodes(np.array([0.0, 1 / 32, 1.5, 20.0])).tolist()
    [0.0, 1.3333333333333333, 4.5, 10.0]
    """
    return np.interp(gap, PLACES, np.arange(NODES))


def gap_counts(gap: Vector, weight: Vector) -> Vector:
    """Return how many pairs there are at each node.

    A gap between two nodes counts for both, in proportion.
    """
    place = in_nodes(gap)
    node = np.minimum(place.astype(np.int64), NODES - 2)
    part = place - node
    low = np.bincount(node, weight * (1 - part), minlength=NODES)
    high = np.bincount(node + 1, weight * part, minlength=NODES)
    return np.asarray(low + high, dtype=np.float64)


def _shares(counts: Vector) -> Vector:
    total = float(counts.sum())
    return counts / total if total else np.zeros(len(counts))
