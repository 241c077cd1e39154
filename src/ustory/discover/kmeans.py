"""Seed centres by greedy k-means++, and spherical Lloyd steps after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix
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
    tries = 2 + int(np.log(k))
    draws = [
        np.random.default_rng([seed, i]).random((k, tries)) for i in range(restarts)
    ]
    best: Clustering | None = None
    for chosen in _centres(rows, np.stack(draws, axis=1)):
        found = _lloyd(rows, chosen, steps)
        if best is None or found.inertia < best.inertia - TIE:
            best = found
    assert best is not None
    return best


def _centres(rows: Rows, draws: Matrix) -> Iterator[Indices]:
    """Yield the centres of each start: each the best of a few far from those before.

    `draws` (k, starts, tries) are uniform random numbers; the starts run side
    by side. A start ends early when every row is a copy of one of its centres.
    """
    k, starts, tries = draws.shape
    last = len(rows) - 1
    chosen = np.full((k, starts), -1)
    chosen[0] = np.minimum((draws[0, :, 0] * len(rows)).astype(int), last)
    nearest = rows.to(chosen[0])
    every = np.arange(starts)
    for i in range(1, k):
        reach = np.cumsum(nearest, axis=1, dtype=np.float64)
        aims = draws[i] * reach[:, -1:]
        places = np.stack(
            [np.searchsorted(reach[s], aims[s], side="right") for s in range(starts)]
        )
        places = np.minimum(places, last)
        after = rows.to(places.ravel()).reshape(starts, tries, -1)
        after = np.minimum(after, nearest[:, None, :])
        sums = after.sum(axis=2, dtype=np.float64)
        best = np.argmax(sums <= sums.min(axis=1, keepdims=True) + TIE, axis=1)
        open_ = reach[:, -1] > 0
        if not open_.any():
            break
        chosen[i] = np.where(open_, places[every, best], -1)
        nearest = after[every, best]
    for start in range(starts):
        yield chosen[chosen[:, start] >= 0, start]


def _lloyd(rows: Rows, chosen: Indices, steps: int) -> Clustering:
    label, inertia = _closest(rows, rows.rows[chosen])
    for _ in range(steps):
        sums = np.zeros((len(chosen), rows.rows.shape[1]), dtype=np.float32)
        np.add.at(sums, label, rows.rows)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(
            norms > 0, sums / np.maximum(norms, 1e-12), rows.rows[chosen]
        )
        moved, inertia = _closest(rows, centres)
        if np.array_equal(moved, label):
            break
        label = moved
    return Clustering(label, inertia)


def _closest(rows: Rows, centres: Matrix) -> tuple[Indices, float]:
    """Return the first centre within `TIE` of the nearest, and the inertia."""
    label = np.empty(len(rows), dtype=np.int64)
    nearest = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _GRAM):
        part = slice(start, start + _GRAM)
        distances = _distance(rows.rows[part] @ centres.T)
        lowest = distances.min(axis=1)
        label[part] = np.argmax(distances <= lowest[:, None] + TIE, axis=1)
        nearest[part] = lowest
    return label, float(nearest.sum(dtype=np.float64))


def _distance(cosines: Matrix) -> Matrix:
    """Return 1 − cosine, exactly 0 for copies."""
    distance = 1 - cosines
    distance[distance < TIE] = 0
    return distance
