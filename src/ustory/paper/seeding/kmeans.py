"""k-means++ over unassigned articles, with a coarse partition if there are many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.paper.assignment.pairs import nearest_centres, pick_centres
from ustory.paper.assignment.similarity import TIE
from ustory.paper.embedding.article import unit_rows

_MAX_ROWS_AT_ONCE = 4_096
"""Up to this many rows, all distances are computed at once."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which centre each row belongs to, and the sum of (1 − cosine)."""

    label: Indices
    inertia: float


class UnitRows:
    """Unit rows and their distances 1 − cosine."""

    def __init__(self, rows: Matrix) -> None:
        self.rows = rows
        small = len(rows) <= _MAX_ROWS_AT_ONCE
        self.all = _distance(rows @ rows.T) if small else None
        """(rows, rows) all distances, None if there are too many rows."""

    def __len__(self) -> int:
        return len(self.rows)

    def to(self, places: Indices) -> Matrix:
        """Return (places, rows) the distance of every row to some of them."""
        if self.all is not None:
            return self.all[places]
        return _distance(self.rows[places] @ self.rows.T)


def cluster(
    rows: UnitRows, k: int, *, restarts: int, steps: int, seed: int
) -> Clustering:
    """Return the clustering of unit rows with the lowest inertia (Sec. 5.2).

    Each start picks centres by greedy k-means++ (Arthur & Vassilvitskii 2007)
    with 1 − cosine as the distance, and may take Lloyd steps.
    """
    tries = 2 + int(np.log(k))
    draws = [
        np.random.default_rng([seed, i]).random((k, tries)) for i in range(restarts)
    ]
    best: Clustering | None = None
    for chosen in _centres(rows, np.stack(draws)):
        found = _lloyd(rows, chosen, steps)
        if best is None or found.inertia < best.inertia - TIE:
            best = found
    assert best is not None
    return best


def _centres(rows: UnitRows, draws: Vector) -> Iterator[Indices]:
    """Yield the centres of each start: each the best of a few far from those before.

    `draws` (starts, k, tries) are uniform random numbers. A start ends early when
    every row is a copy of one of its centres.
    """
    for draw in draws:
        chosen = np.full(len(draw), -1, dtype=np.int64)
        if rows.all is not None:
            pick_centres(rows.all, draw, TIE, chosen)
        else:
            _pick_centres(rows, draw, chosen)
        yield chosen[chosen >= 0]


def _pick_centres(rows: UnitRows, draws: Vector, chosen: Indices) -> None:
    """Do what `pick_centres` does, if there are too many rows for all distances."""
    last = len(rows) - 1
    chosen[0] = min(int(draws[0, 0] * len(rows)), last)
    nearest = rows.to(chosen[:1])[0]
    for i in range(1, len(draws)):
        reach = np.cumsum(nearest, dtype=np.float64)
        if reach[-1] <= 0:
            return
        places = np.searchsorted(reach, draws[i] * reach[-1], side="right")
        places = np.minimum(places, last)
        after = np.minimum(rows.to(places), nearest)
        sums = after.sum(axis=1, dtype=np.float64)
        best = int(np.argmax(sums <= sums.min() + TIE))
        chosen[i] = places[best]
        nearest = after[best]


def _lloyd(rows: UnitRows, chosen: Indices, steps: int) -> Clustering:
    label, inertia = _closest_of(rows, chosen)
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


def _closest_of(rows: UnitRows, chosen: Indices) -> tuple[Indices, float]:
    """Return the first of the chosen rows within `TIE` of the nearest, and inertia."""
    if rows.all is None:
        return _closest(rows, rows.rows[chosen])
    label = np.empty(len(rows), dtype=np.int64)
    return label, nearest_centres(rows.all, chosen, TIE, label)


def _closest(rows: UnitRows, centres: Matrix) -> tuple[Indices, float]:
    """Return the first centre within `TIE` of the nearest, and the inertia."""
    label = np.empty(len(rows), dtype=np.int64)
    nearest = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _MAX_ROWS_AT_ONCE):
        part = slice(start, start + _MAX_ROWS_AT_ONCE)
        distances = _distance(rows.rows[part] @ centres.T)
        lowest = distances.min(axis=1)
        label[part] = np.argmax(distances <= lowest[:, None] + TIE, axis=1)
        nearest[part] = lowest
    return label, float(nearest.sum(dtype=np.float64))


def _distance(cosines: Matrix) -> Matrix:
    """Return 1 − cosine, exactly 0 for copies; it overwrites the cosines."""
    np.subtract(1, cosines, out=cosines)
    np.putmask(cosines, cosines < TIE, 0)
    return cosines


_COARSE_STEPS = 5
"""Lloyd steps of the coarse clustering."""


def parts_of(rows: Matrix, most: int, seed: int) -> list[Indices]:
    """Return the positions of rows in parts of neighbours, at most `most` rows each.

    A coarse clustering of evenly drawn rows gives the centres; every row goes to
    the nearest, and a part that is still too large is cut again.
    """
    done: list[Indices] = []
    left = [np.arange(len(rows))]
    while left:
        places = left.pop()
        if len(places) <= most:
            done.append(places)
            continue
        label = _coarse(rows[places], most, seed)
        order = np.argsort(label, kind="stable")
        ends = np.flatnonzero(np.diff(label[order])) + 1
        pieces = [places[piece] for piece in np.split(order, ends)]
        if len(pieces) == 1:  # copies: no clustering separates them
            done += np.split(places, range(most, len(places), most))
        else:
            left += pieces
    return sorted(done, key=lambda places: int(places[0]))


def _coarse(rows: Matrix, most: int, seed: int) -> Indices:
    """Return the coarse cluster of each row; about half of `most` are in one."""
    sample = rows[:: -(-len(rows) // most)]
    k = min(-(-2 * len(rows) // most), len(sample))
    found = cluster(UnitRows(sample), k, restarts=1, steps=_COARSE_STEPS, seed=seed)
    sums = np.zeros((int(found.label.max()) + 1, rows.shape[1]), dtype=np.float32)
    np.add.at(sums, found.label, sample)
    centres = unit_rows(sums)
    label = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), most):
        part = slice(start, start + most)
        label[part] = np.argmax(rows[part] @ centres.T, axis=1)
    return label
