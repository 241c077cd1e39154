"""Spherical k-means with k-means++ starts, for finding seed stories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.discover.confidence import TIE


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which centre each row belongs to, and the sum of (1 − cosine)."""

    label: Indices
    inertia: float


def cluster(
    rows: Matrix, k: int, *, restarts: int, steps: int, seed: int
) -> Clustering:
    """Return the clustering of unit rows with the lowest inertia (Sec. 5.2).

    Each start picks centres by k-means++ (Arthur & Vassilvitskii 2007) with
    probability proportional to 1 − cosine, then takes Lloyd steps.
    """
    best: Clustering | None = None
    for start in range(restarts):
        generator = np.random.default_rng([seed, start])
        found = _lloyd(rows, _plus_plus(rows, k, generator), steps)
        if best is None or found.inertia < best.inertia - TIE:
            best = found
    assert best is not None
    return best


def _plus_plus(rows: Matrix, k: int, generator: np.random.Generator) -> Indices:
    """Return k rows to start from: each the best of a few far from those before."""
    gram = _distance(rows @ rows.T)
    tries = 2 + int(np.log(k))
    draws = generator.random((k, tries))
    chosen = np.empty(k, dtype=np.int64)
    chosen[0] = min(int(draws[0, 0] * len(rows)), len(rows) - 1)
    nearest = gram[chosen[0]]
    for i in range(1, k):
        reach = np.cumsum(nearest, dtype=np.float64)
        if reach[-1] == 0:  # every row is a copy of a centre
            return chosen[:i]
        places = np.searchsorted(reach, draws[i] * reach[-1], side="right")
        places = np.minimum(places, len(rows) - 1)
        after = np.minimum(gram[places], nearest)
        best = int(np.argmin(after.sum(axis=1, dtype=np.float64)))
        chosen[i] = places[best]
        nearest = after[best]
    return chosen


def _lloyd(rows: Matrix, chosen: Indices, steps: int) -> Clustering:
    centres = rows[chosen]
    label, inertia = _nearest(rows, centres)
    for _ in range(steps):
        sums = np.zeros_like(centres)
        np.add.at(sums, label, rows)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(norms > 0, sums / np.maximum(norms, 1e-12), centres)
        moved, lower = _nearest(rows, centres)
        if np.array_equal(moved, label):
            break
        label, inertia = moved, lower
    return Clustering(label, inertia)


def _nearest(rows: Matrix, centres: Matrix) -> tuple[Indices, float]:
    """Return the first centre within `TIE` of the nearest, and the inertia."""
    cosines = rows @ centres.T
    highest = cosines.max(axis=1, keepdims=True)
    label = np.argmax(cosines >= highest - TIE, axis=1)
    return label, float(_distance(highest[:, 0]).sum(dtype=np.float64))


def _distance(cosines: Vector) -> Vector:
    """Return 1 − cosine, exactly 0 for copies."""
    distance = 1 - cosines
    return np.where(distance < TIE, 0, distance)
