"""Vectors placed in the plane by t-SNE, each near its place of the last slide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin
from zlib import crc32

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.paper.embedding.article import unit_rows
from ustory.service.plane_scan import find_affinities, find_forces, find_nearest

MIN_ROWS = 5
"""Fewer rows have no neighbourhoods: they are placed by principal components."""

_NEIGHBOURS = 60
_PERPLEXITY = (4.0, 20.0)
_EARLY_STEPS, _LATE_STEPS, _UPDATE_STEPS = 100, 300, 60
"""Steps with exaggerated attraction, without it, and if most places are known."""
_EXAGGERATION = 8.0
"""Factor of attraction in the early steps."""
_KNOWN_RATE = 0.1
"""Relative step size of points that had a place before."""
_MAX_STEP = 5.0
"""The longest move of a point in a step."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest rows of each row, by cosine."""

    rows: Indices
    """(rows, neighbours), the nearest first."""
    cosine: Matrix

    @classmethod
    def of(cls, vectors: Matrix) -> Neighbours:
        """Return up to 60 neighbours of each row."""
        unit = np.ascontiguousarray(unit_rows(vectors))
        keep = max(min(_NEIGHBOURS, len(unit) - 1), 0)
        rows = np.zeros((len(unit), keep), dtype=np.int64)
        cosine = np.zeros((len(unit), keep), dtype=np.float32)
        if keep:
            find_nearest(unit, rows, cosine)
        return cls(rows, cosine)

    def shared(self, groups: Sequence[str | None]) -> float | None:
        """Return the share of rows whose nearest row is in the same group.

        Only rows of groups of two or more count; None without such rows.
        """
        if not self.rows.shape[1]:
            return None
        sizes: dict[str, int] = {}
        for group in groups:
            if group is not None:
                sizes[group] = sizes.get(group, 0) + 1
        counted = [
            groups[int(nearest)] == group
            for group, nearest in zip(groups, self.rows[:, 0], strict=True)
            if group is not None and sizes[group] > 1
        ]
        return sum(counted) / len(counted) if counted else None


@dataclass(frozen=True, slots=True)
class Plane:
    """The place of each row."""

    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def table(self, names: Sequence[str]) -> Vector:
        """Return (names, 2) places of some rows."""
        return np.array([self.places[name] for name in names]).reshape(-1, 2)

    def turned_like(self, other: Plane) -> Plane:
        """Return the plane turned, mirrored and shifted to fit another best."""
        names = list(self.places)
        return _placed(names, _aligned(names, self.table(names), other))


@dataclass(frozen=True, slots=True)
class _Pace:
    """How points move: number of steps, momentum and factor of attraction."""

    steps: int
    momentum: float
    pull: float = 1.0


def draw(
    names: Sequence[str],
    vectors: Matrix,
    near: Neighbours,
    before: Plane,
    is_over: Callable[[], bool] = lambda: False,
) -> Plane:
    """Return places in the plane, close together if cosines are high: t-SNE.

    Rows start at their places in `before`, new ones among their nearest rows, so
    that old points hardly move; the result is then turned to fit `before`. Equal
    input gives an equal picture. `is_over` ends it early.
    """
    if len(names) < MIN_ROWS:
        return _placed(names, _aligned(names, _components(vectors), before))
    links = _links(near)
    known = [name in before.places for name in names]
    if sum(known) < len(names) / 2:
        places = _components(vectors)
        places *= 1e-2 / max(float(places.std()), 1e-12)
        free = np.ones((len(names), 1))
        places = _moved(
            places, links, _Pace(_EARLY_STEPS, 0.5, _EXAGGERATION), free, is_over
        )
        places = _moved(places, links, _Pace(_LATE_STEPS, 0.8), free, is_over)
    else:
        places = _begun(names, near, before)
        free = np.where(known, _KNOWN_RATE, 1.0)[:, None]
        places = _moved(places, links, _Pace(_UPDATE_STEPS, 0.5), free, is_over)
    return _placed(names, _aligned(names, places, before))


def _placed(names: Sequence[str], places: Vector) -> Plane:
    found = np.round(places, 4).tolist()
    return Plane({name: (x, y) for name, (x, y) in zip(names, found, strict=True)})


def _components(vectors: Matrix) -> Vector:
    """Return the two principal components of unit rows, with fixed signs."""
    unit = unit_rows(vectors).astype(np.float64)
    found = np.zeros((len(unit), 2))
    if len(unit) < 2:
        return found
    unit -= unit.mean(axis=0)
    left, size, _ = np.linalg.svd(unit, full_matrices=False)
    count = min(2, len(size))
    found[:, :count] = left[:, :count] * size[:count]
    largest = found[np.abs(found).argmax(axis=0), [0, 1]]
    return np.asarray(found * np.where(largest < 0, -1.0, 1.0))


def _links(near: Neighbours) -> tuple[Indices, Indices, Vector]:
    """Return the symmetric affinities of rows, as a sparse table."""
    rows, keep = near.rows.shape
    low, high = _PERPLEXITY
    perplexity = min(max(rows / 20, low), high, keep * 0.9)
    share = np.empty((rows, keep))
    find_affinities(near.cosine.astype(np.float64), perplexity, share)
    start = np.arange(0, rows * keep + 1, keep)
    table = sparse.csr_array(
        (share.ravel(), near.rows.ravel(), start), shape=(rows, rows)
    )
    both = sparse.csr_array(table + table.T)
    both.sort_indices()
    return (
        both.indptr.astype(np.int64),
        both.indices.astype(np.int64),
        both.data / (2 * rows),
    )


def _begun(names: Sequence[str], near: Neighbours, before: Plane) -> Vector:
    """Return the first places: the old ones, and new rows among their nearest."""
    middle = np.mean(list(before.places.values()), axis=0)
    places = np.zeros((len(names), 2))
    known = np.array([name in before.places for name in names])
    for row, name in enumerate(names):
        if known[row]:
            places[row] = before.places[name]
    for row in np.flatnonzero(~known).tolist():
        beside = [i for i in near.rows[row].tolist() if known[i]][:3]
        angle = crc32(names[row].encode("utf-8", "replace")) / 2**32 * 2 * pi
        # not in the same place: equal points would never separate
        aside = 0.1 * np.array([cos(angle), sin(angle)])
        places[row] = (places[beside].mean(axis=0) if beside else middle) + aside
    return places


def _moved(
    places: Vector,
    links: tuple[Indices, Indices, Vector],
    pace: _Pace,
    free: Vector,
    is_over: Callable[[], bool],
) -> Vector:
    """Return the places after some steps; `free` scales the steps of each point."""
    rate = free * max(len(places) / pace.pull / 4, 20.0)
    speed, gain = np.zeros_like(places), np.ones_like(places)
    force = np.empty_like(places)
    for _ in range(pace.steps):
        if is_over():
            break
        x, y = places.T.astype(np.float32, order="C")
        find_forces(x, y, links, pace.pull, force)
        same = np.sign(force) == np.sign(speed)
        gain = np.maximum(np.where(same, gain + 0.2, gain * 0.8), 0.01)
        speed = np.clip(
            pace.momentum * speed + rate * gain * force, -_MAX_STEP, _MAX_STEP
        )
        places = places + speed
        places -= places.mean(axis=0)
    return places


def _aligned(names: Sequence[str], places: Vector, before: Plane) -> Vector:
    """Return the places turned, mirrored and shifted to fit the plane before best."""
    rows = [row for row, name in enumerate(names) if name in before.places]
    if len(rows) < 2:
        return places
    ours, theirs = places[rows], before.table([names[row] for row in rows])
    centre, goal = ours.mean(axis=0), theirs.mean(axis=0)
    left, _, right = np.linalg.svd((ours - centre).T @ (theirs - goal))
    return np.asarray((places - centre) @ (left @ right) + goal)
