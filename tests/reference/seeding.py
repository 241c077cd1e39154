"""Seed clusters (Sec. 5.2, docs/decisions/0001 and 0002), one row at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.reference.section5 import TIE
from ustory.core.arrays import Matrix, Vector
from ustory.core.settings import Settings
from ustory.paper.seeding.seed import seed_clusters


@dataclass(frozen=True, slots=True)
class Found:
    """Which centre each row goes to, and Σ (1 − cosine) over the rows."""

    labels: list[int]
    inertia: float


def unit_rows(vectors: list[Vector]) -> Matrix:
    """Return the initial representations at unit length, in float32."""
    rows = [vector / max(float(np.linalg.norm(vector)), 1e-12) for vector in vectors]
    return np.array(rows, dtype=np.float32)


def seed_groups(rows: Matrix, settings: Settings) -> list[list[int]]:
    """Return the rows of each cluster of at least M, by first row (Sec. 5.2)."""
    clusters: dict[int, list[int]] = {}
    for row, label in enumerate(_labels(rows, settings)):
        clusters.setdefault(label, []).append(row)
    return [group for group in clusters.values() if len(group) >= settings.minimum]


def _labels(rows: Matrix, settings: Settings) -> list[int]:
    if settings.min_articles is None:
        # from the engine: test_seed_count.py holds it against every number of seeds
        return [int(label) for label in seed_clusters(rows, settings).label]
    return k_means(
        rows.astype(np.float64), max(len(rows) // settings.min_articles, 1), settings
    ).labels


def k_means(rows: Vector, k: int, settings: Settings) -> Found:
    """Return the first of the restarts with the lowest inertia."""
    best: Found | None = None
    for restart in range(settings.seed_restarts):
        centres = pick_centres(rows, k, [settings.seed, restart])
        found = lloyd(rows, [rows[place] for place in centres], settings.seed_steps)
        if best is None or found.inertia < best.inertia - TIE:
            best = found
    assert best is not None  # Settings asks for at least one start
    return best


def pick_centres(rows: Vector, k: int, seed: list[int]) -> list[int]:
    """Return the rows that greedy k-means++ takes as centres: k, or fewer if equal.

    The first is uniform; each other one is the best of 2 + ⌊ln k⌋ draws with
    probability ∝ 1 − cosine to the nearest centre.
    """
    draws = np.random.default_rng(seed).random((k, 2 + int(np.log(k))))
    count = len(rows)
    centres = [min(int(draws[0, 0] * count), count - 1)]
    nearest = distances(rows, rows[centres[0]])
    for turn in range(1, k):
        reach = np.cumsum(np.array(nearest))
        if reach[-1] == 0:
            break
        drawn = [
            min(int(np.searchsorted(reach, draw * reach[-1], side="right")), count - 1)
            for draw in draws[turn]
        ]
        offers = [_closer(nearest, distances(rows, rows[place])) for place in drawn]
        lowest = min(sum(offer) for offer in offers)
        chosen = next(i for i, offer in enumerate(offers) if sum(offer) <= lowest + TIE)
        centres.append(drawn[chosen])
        nearest = offers[chosen]
    return centres


def _closer(one: list[float], other: list[float]) -> list[float]:
    return [min(pair) for pair in zip(one, other, strict=True)]


def distances(rows: Vector, centre: Vector) -> list[float]:
    """Return 1 − cosine of each row to the centre, 0 for copies of it."""
    return [_distance(float(row @ centre)) for row in rows]


def _distance(cosine: float) -> float:
    return 0.0 if 1 - cosine < TIE else 1 - cosine


def lloyd(rows: Vector, centres: list[Vector], steps: int) -> Found:
    """Return the clusters after at most `steps` moves of the centres."""
    found = nearest_centres(rows, centres)
    for _ in range(steps):
        centres = moved(rows, centres, found.labels)
        before, found = found, nearest_centres(rows, centres)
        if found.labels == before.labels:
            break
    return found


def nearest_centres(rows: Vector, centres: list[Vector]) -> Found:
    """Return each row's first centre within 1e-6 of the highest cosine."""
    labels: list[int] = []
    inertia = 0.0
    for row in rows:
        cosines = [float(row @ centre) for centre in centres]
        highest = max(cosines)
        label = next(i for i, value in enumerate(cosines) if value >= highest - TIE)
        labels.append(label)
        inertia += _distance(cosines[label])
    return Found(labels, inertia)


def moved(rows: Vector, centres: list[Vector], labels: list[int]) -> list[Vector]:
    """Return each centre as the unit sum of its rows; an empty one stays."""
    result: list[Vector] = []
    for place, centre in enumerate(centres):
        inside = [rows[row] for row, label in enumerate(labels) if label == place]
        total = np.sum(inside, axis=0) if inside else centre
        result.append(total / max(float(np.linalg.norm(total)), 1e-12))
    return result
