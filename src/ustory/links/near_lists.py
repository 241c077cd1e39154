"""Lists of vectors that are alike, so that a new one is compared with a few lists."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Matrix

Whole: TypeAlias = NDArray[np.int16]
"""(rows, dim) unit vectors times `LENGTH`, rounded."""

LENGTH = 2_048
"""Length of the rows, before they are rounded."""

SAMPLE = 32
"""Distinct vectors, for each list, from which its centre is made."""

ROUNDS = 4
"""How often each centre is moved to the middle of the vectors nearest to it."""

_BLOCK = 1_024
"""Vectors that one task puts into lists."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Which list each of some vectors is in."""

    centres: Whole
    """(lists, dim), what the vectors of each have in common; none of a single list."""
    place: Indices
    """(rows,) the list of each vector."""
    order: Indices
    """(rows,) the vectors list by list, ascending in each."""

    @classmethod
    def one(cls, rows: int) -> Lists:
        """Return a single list that has all."""
        none = np.zeros((0, 0), dtype=np.int16)
        return cls(none, np.zeros(rows, dtype=np.int64), np.arange(rows))


def list_count(rows: int) -> int:
    """Return the number of lists of so many vectors: its root.

    So the work that lists take and the length of each grow alike.

    >>> list_count(100_000)
    316
    """
    return math.isqrt(rows)


def as_floats(vectors: Whole) -> Matrix:
    """Return rows as BLAS reads them."""
    return vectors.astype(np.float32)


def made_lists(vectors: Whole, workers: Executor) -> Lists:
    """Return lists made by k-means, a fixed number of rounds.

    They depend on which vectors there are, and not on their order: centres are made
    of the distinct vectors with the lowest `signatures`. Of equally near centres the
    first is taken. A centre to which nothing is near stays where it is.
    """
    count = list_count(len(vectors))
    drawn, first = np.unique(signatures(vectors), return_index=True)
    sample = vectors[first[drawn != 0][: SAMPLE * count]]
    centres = sample[:count]
    if not len(centres):
        return Lists.one(len(vectors))
    for _ in range(ROUNDS):
        centres = _moved(centres, sample, nearest_centre(sample, centres, workers))
    place = nearest_centre(vectors, centres, workers)
    return Lists(centres, place, np.argsort(place, kind="stable"))


def signatures(vectors: Whole) -> NDArray[np.uint64]:
    """Return for each row a number of 64 bits, by its own numbers: 0 if all are 0.

    Others look as if they were drawn by lot.
    """
    # raw numbers of a generator stay the same in every release of numpy
    odd = np.random.PCG64(0).random_raw(vectors.shape[1]) | np.uint64(1)
    blocks = range(0, len(vectors), _BLOCK)
    sums = [vectors[low : low + _BLOCK].astype(np.uint64) @ odd for low in blocks]
    return np.concatenate([np.zeros(0, dtype=np.uint64), *sums])


def nearest_centre(vectors: Whole, centres: Whole, workers: Executor) -> Indices:
    """Return the nearest centre of each vector."""
    table = as_floats(centres).T

    def task(low: int) -> Indices:
        found: Indices = np.argmax(as_floats(vectors[low : low + _BLOCK]) @ table, 1)
        return found

    return np.concatenate(list(workers.map(task, range(0, len(vectors), _BLOCK))))


def _moved(centres: Whole, sample: Whole, place: Indices) -> Whole:
    """Return the centres where the middle of their vectors is, as unit vectors."""
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(centres) + 1))
    moved = centres.copy()
    for each in range(len(centres)):
        inside = order[starts[each] : starts[each + 1]]
        total = sample[inside].sum(axis=0, dtype=np.int64)
        length = np.sqrt((total * total).sum())
        if length > 0:
            moved[each] = np.rint(total / length * LENGTH).astype(np.int16)
    return moved
