"""Seed centres by greedy k-means++, and spherical Lloyd steps after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.discover.confidence import TIE

_GRAM = 4_096
"""Rows up to which all distances are computed at once."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which centre each row belongs to, and the sum of (1 − cosine)."""

    label: Indices
    inertia: float


class Rows:
    """Unit rows and their distances 1 − cosine."""

    def __init__(self, rows: Matrix) -> None:
        self.rows = rows
        small = len(rows) <= _GRAM
        self._all = _distance(rows @ rows.T) if small else None

    def __len__(self) -> int:
        return len(self.rows)

    def to(self, places: Indices) -> Matrix:
        """Return (places, rows) the distance of every row to some of them."""
        if self._all is not None:
            return self._all[places]
        return _distance(self.rows[places] @ self.rows.T)


def cluster(rows: Rows, k: int, *, restarts: int, steps: int, seed: int) -> Clustering:
    """Return the clustering of unit rows with the lowest inertia (Sec. 5.2).

    Each start picks centres by greedy k-means++ (Arthur & Vassilvitskii 2007)
    with 1 − cosine as the distance, and may take Lloyd steps.
    """
    best: Clustering | None = None
    for start in range(restarts):
        generator = np.random.default_rng([seed, start])
        found = _lloyd(rows, _centres(rows, k, generator), steps)
        if best is None or found.inertia < best.inertia - TIE:
            best = found
    assert best is not None
    return best


def _centres(rows: Rows, k: int, generator: np.random.Generator) -> Indices:
    """Return k rows to start from, each the best of a few far from those before."""
    draws = generator.random((k, 2 + int(np.log(k))))
    last = len(rows) - 1
    chosen = [min(int(draws[0, 0] * len(rows)), last)]
    nearest = rows.to(np.array(chosen))[0]
    for i in range(1, k):
        reach = np.cumsum(nearest, dtype=np.float64)
        if reach[-1] == 0:  # every row is a copy of a centre
            break
        places = np.searchsorted(reach, draws[i] * reach[-1], side="right")
        places = np.minimum(places, last)
        after = np.minimum(rows.to(places), nearest)
        sums = after.sum(axis=1, dtype=np.float64)
        best = int(np.argmax(sums <= sums.min() + TIE))
        chosen.append(int(places[best]))
        nearest = after[best]
    return np.array(chosen)


def _lloyd(rows: Rows, chosen: Indices, steps: int) -> Clustering:
    label, inertia = _closest(rows.to(chosen).T)
    for _ in range(steps):
        sums = np.zeros((len(chosen), rows.rows.shape[1]), dtype=np.float32)
        np.add.at(sums, label, rows.rows)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(norms > 0, sums / np.maximum(norms, 1e-12), rows.rows[chosen])
        moved, inertia = _closest(_distance(rows.rows @ centres.T))
        if np.array_equal(moved, label):
            break
        label = moved
    return Clustering(label, inertia)


def _closest(distances: Matrix) -> tuple[Indices, float]:
    """Return the first centre within `TIE` of the nearest, and the inertia."""
    lowest = distances.min(axis=1)
    label = np.argmax(distances <= lowest[:, None] + TIE, axis=1)
    return label, float(lowest.sum(dtype=np.float64))


def _distance(cosines: Matrix) -> Vector:
    """Return 1 − cosine, exactly 0 for copies."""
    distance = 1 - cosines
    distance[distance < TIE] = 0
    return distance
