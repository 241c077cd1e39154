"""The nearest by meaning: whole numbers in loops, each list read row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ustory.links.near_lists import LENGTH, ROUNDS, SAMPLE
from ustory.links.near_vectors import FLOOR, LIMITS, NearLimits

Row = Sequence[int]
"""A unit vector times 2048, rounded."""


def nearest(
    rows: Sequence[Row], group: Sequence[int], new: int, limits: NearLimits = LIMITS
) -> list[tuple[int, int]]:
    """Return pairs of a new row and an older one that is near, ascending."""
    first, count = len(rows) - new, math.isqrt(len(rows))
    centres: list[Row] = []
    if len(rows) > 2 * limits.read and new > 2 * count:
        centres = centres_of(rows, count)
    place = [nearest_of(row, centres) if centres else 0 for row in rows]
    found = set()
    for newer in range(first, len(rows)):
        for own in (True, False):
            pool = [
                row
                for row in range(len(rows))
                if (group[row] == group[newer]) == own and any(rows[row])
            ]
            if len(pool) > limits.read and centres:
                older = _read(rows[newer], newer, pool, centres, place, limits.read)
            else:
                older = [row for row in pool if row < newer]
            near = [row for row in older if _near(rows[newer], rows[row])]
            near.sort(key=lambda row: (-dot(rows[newer], rows[row]), row))
            found |= {(newer, row) for row in near[: limits.near]}
    return sorted(found)


def dot(one: Row, other: Row) -> int:
    """Return the product of two rows."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _near(one: Row, other: Row) -> bool:
    return dot(one, other) >= round(FLOOR * LENGTH * LENGTH)


def _read(
    row: Row,
    newer: int,
    pool: Sequence[int],
    centres: Sequence[Row],
    place: Sequence[int],
    limit: int,
) -> list[int]:
    """Return the older rows of the nearest lists, until so many are read."""
    read: list[int] = []
    by_nearness = sorted(range(len(centres)), key=lambda c: (-dot(row, centres[c]), c))
    for one in by_nearness:
        if len(read) < limit:
            inside = [each for each in pool if place[each] == one and each < newer]
            read += inside[:limit]
    return read


def nearest_of(row: Row, centres: Sequence[Row]) -> int:
    """Return the nearest centre, of equally near ones the first."""
    return min(range(len(centres)), key=lambda c: (-dot(row, centres[c]), c))


def centres_of(rows: Sequence[Row], count: int) -> list[Row]:
    """Return what the lists are made around."""
    drawn = {signature(row): row for row in rows if any(row)}
    sample = [drawn[key] for key in sorted(drawn)][: SAMPLE * count]
    centres = sample[:count]
    for _ in range(ROUNDS if centres else 0):
        place = [nearest_of(row, centres) for row in sample]
        for one in range(len(centres)):
            inside = [row for row, at in zip(sample, place, strict=True) if at == one]
            total = [sum(column) for column in zip(*inside, strict=True)]
            length = math.sqrt(sum(each * each for each in total))
            if length > 0:
                centres[one] = [round(each / length * LENGTH) for each in total]
    return centres


def signature(row: Row) -> int:
    """Return a number by which rows are drawn."""
    odd = [int(each) | 1 for each in np.random.PCG64(0).random_raw(len(row))]
    return dot(row, odd) % 2**64
