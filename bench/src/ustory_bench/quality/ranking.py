"""How well scores rank pairs: average precision with ties, and its spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector

RESAMPLES = 2_000
SEED = 20
"""Of the bootstrap: every comparison draws the same pairs."""
LEVEL = 0.95

_BLOCK = 4_000_000
"""Numbers of resampled pairs that are held at once."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Pairs in order of their scores, the surest first."""

    order: Indices
    right: Mask
    """(pairs,) in that order, whether each is of one story."""
    ends: Indices
    """The last place of each run of equal scores."""

    @classmethod
    def of(cls, scores: Vector, right: Mask) -> Ranked:
        """Return pairs ranked by their scores."""
        order = np.argsort(-scores, kind="stable")
        last = np.append(np.diff(scores[order]) != 0, True)[: len(order)]
        return cls(order, right[order], np.flatnonzero(last))

    def precision(self, drawn: Vector) -> Vector:
        """Return the average precision of resamples; nan where nothing is right.

        `drawn` is (resamples, pairs): how often each pair is in each resample. Pairs
        of one score are read together, for no order among them would be honest.
        """
        counts = drawn[:, self.order]
        right = np.cumsum(counts * self.right, axis=1)[:, self.ends]
        read = np.cumsum(counts, axis=1)[:, self.ends]
        gained = np.diff(right, axis=1, prepend=0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            each = np.where(read > 0, right / read, 0.0)
            found: Vector = (gained * each).sum(axis=1) / right[:, -1]
        return found


def average_precision(scores: Vector, right: Mask) -> float:
    """Return the mean precision over the right pairs, down the ranking.

    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
    0.8333333333333333
    """
    if not right.any():
        return float("nan")
    return float(Ranked.of(scores, right).precision(np.ones((1, len(scores))))[0])


def resampled(
    systems: dict[str, Vector], right: Mask, resamples: int = RESAMPLES
) -> dict[str, Vector]:
    """Return the average precision of every system in resamples of the pairs.

    A resample draws as many pairs as there are, and the same ones for all systems.
    """
    count = len(right)
    ranked = {name: Ranked.of(scores, right) for name, scores in systems.items()}
    found: dict[str, list[Vector]] = {name: [] for name in systems}
    random = np.random.default_rng(SEED)
    step = max(1, _BLOCK // max(count, 1))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = random.multinomial(count, np.full(count, 1 / count), size=size)
        for name, each in ranked.items():
            found[name].append(each.precision(drawn.astype(np.float64)))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def interval(values: Vector) -> tuple[float, float]:
    """Return the ends of the middle 95 % of resampled values."""
    known = values[~np.isnan(values)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision and recall from the highest threshold down, a point a score."""

    threshold: Vector
    precision: Vector
    recall: Vector

    def recall_at(self, precision: float) -> float:
        """Return the highest recall of a threshold that is at least so precise."""
        fits = self.precision >= precision
        return float(self.recall[fits].max()) if fits.any() else 0.0


def precision_recall(scores: Vector, right: Mask, of: int | None = None) -> Curve:
    """Return the curve of scores; `of` is how many right pairs there are in all.

    Without it, all of them have a score.
    """
    ranked = Ranked.of(scores, right)
    found = np.cumsum(ranked.right)[ranked.ends]
    every = max(int(right.sum()) if of is None else of, 1)
    return Curve(
        scores[ranked.order][ranked.ends], found / (ranked.ends + 1), found / every
    )
