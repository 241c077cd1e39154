"""How many seed stories to look for among the unassigned articles (Sec. 5.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ustory.core.arrays import Indices, Matrix
from ustory.core.settings import Settings
from ustory.paper.seeding.coarse_partition import parts_of
from ustory.paper.seeding.kmeans import Clustering, Rows, cluster

FEW = 12
"""Numbers of clusters up to which all are tried."""

SAMPLE = 2_000
"""Rows at most on which a number of clusters is judged: it needs all pairs."""


PART = 4_096
"""Rows up to which seeds are looked for among all of them at once."""


def seed_clusters(rows: Matrix, settings: Settings) -> Clustering:
    """Return the clustering of unit rows into the number of seeds in force.

    k = ⌊n / M⌋ when M is given, at least 1; otherwise the data choose. More than
    `PART` rows are cut into parts of neighbours, and each part has its own seeds.
    """
    if len(rows) <= PART:
        return _clusters(rows, settings)
    label = np.empty(len(rows), dtype=np.int64)
    inertia, used = 0.0, 0
    for places in parts_of(rows, PART, settings.seed):
        found = _clusters(rows[places], settings)
        label[places] = found.label + used
        used += int(found.label.max()) + 1
        inertia += found.inertia
    return Clustering(label, inertia)


def _clusters(rows: Matrix, settings: Settings) -> Clustering:
    prepared = Rows(rows)

    def run(k: int) -> Clustering:
        return cluster(
            prepared,
            min(k, len(rows)),
            restarts=settings.seed_restarts,
            steps=settings.seed_steps,
            seed=settings.seed,
        )

    if settings.min_articles is not None:
        return run(max(len(rows) // settings.min_articles, 1))
    if len(rows) <= 3:  # 2 ≤ k ≤ n − 1 leaves no choice
        return run(max(len(rows) - 1, 1))
    if settings.seed_count == "log-means":
        return log_means(len(rows), run)
    return best_silhouette(rows, run)


def best_silhouette(rows: Matrix, run: Callable[[int], Clustering]) -> Clustering:
    """Return the clustering with the highest mean silhouette (Rousseeuw 1987).

    Silhouette is flat around its peak, so 2 ≤ k ≤ n − 1 is searched on a
    geometric grid, and then between the neighbours of the best, three times.
    """
    step = max(math.ceil(len(rows) / SAMPLE), 1)
    distances = 1 - rows[::step] @ rows[::step].T
    tried: dict[int, tuple[float, Clustering]] = {}

    def score(k: int) -> float:
        if k not in tried:
            found = run(k)
            tried[k] = (silhouette(distances, found.label[::step]), found)
        return tried[k][0]

    low, high = 2, len(rows) - 1
    for _ in range(4):
        for k in _between(low, high, 8):
            score(k)
        ks = sorted(tried)
        best = max(ks, key=lambda k: (tried[k][0], -k))
        place = ks.index(best)
        low, high = ks[max(place - 1, 0)], ks[min(place + 1, len(ks) - 1)]
        if high - low <= 2:
            break
    return tried[best][1]


def silhouette(distances: Matrix, label: Indices) -> float:
    """Return the mean silhouette; a row alone in its cluster scores 0.

    >>> near, far = [0.0, 0.1, 0.9, 0.9], [0.9, 0.9, 0.0, 0.1]
    >>> d = np.array([near, [0.1, 0, 0.9, 0.9], far, [0.9, 0.9, 0.1, 0]])
    >>> round(silhouette(d, np.array([0, 0, 1, 1])), 4)
    0.8889
    """
    clusters, code = np.unique(label, return_inverse=True)
    if not 1 < len(clusters) < len(label):
        return -1.0
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code)
    first = np.cumsum(sizes) - sizes
    sums = np.add.reduceat(distances[:, order], first, axis=1)
    rows = np.arange(len(code))
    own = sizes[code]
    inside = sums[rows, code] / np.maximum(own - 1, 1)
    means = sums / sizes
    means[rows, code] = np.inf
    outside = means.min(axis=1)
    widest = np.maximum(np.maximum(inside, outside), 1e-12)
    return float(np.where(own > 1, (outside - inside) / widest, 0.0).mean())


def log_means(n: int, run: Callable[[int], Clustering]) -> Clustering:
    """Return the clustering that LOG-Means finds (Fritz et al., VLDB 2020).

    The error is sampled at powers of two up to n/2 (a story is at least a
    pair, and the error of near n clusters is next to nothing); the interval
    whose ends have the largest ratio is halved until they are neighbours.
    """
    tried = {k: run(k) for k in {1, *_powers(n // 2), n // 2}}
    while True:
        ks = sorted(tried)
        left, right = max(
            pairwise(ks),
            key=lambda ends: (_ratio(tried[ends[0]], tried[ends[1]]), -ends[0]),
        )
        if right - left <= 1:
            return tried[right]
        middle = (left + right) // 2
        tried[middle] = run(middle)


def _ratio(left: Clustering, right: Clustering) -> float:
    return left.inertia / max(right.inertia, 1e-9)


def _powers(high: int) -> list[int]:
    return [2**i for i in range(1, max(high, 2).bit_length()) if 2**i <= high]


def _between(low: int, high: int, count: int) -> list[int]:
    if high - low < FEW:
        return list(range(low, high + 1))
    grid = np.geomspace(low, max(high, low), count).round().astype(int)
    return sorted(set(grid.tolist()))
