"""Adds up term frequencies of many articles or panes at once: a compiled kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from ustory.core.arrays import Counts, Indices, Vector


@dataclass(frozen=True, slots=True)
class TermSums:
    """Term frequencies of several groups, one group after the other.

    In each group the terms seen more than once come first.
    """

    start: Indices
    """(groups + 1,) where each group begins."""
    often: Indices
    """(groups,) where the terms seen more than once end."""
    terms: Indices
    tf: Counts
    """Plain sums."""
    decayed: Vector
    """Sums in which each row counts by its factor."""
    df: Counts
    """(vocabulary,) how many groups have each term."""

    def group(self, number: int) -> slice:
        """Return where a group's terms are."""
        return slice(int(self.start[number]), int(self.start[number + 1]))

    def seen_often(self, number: int) -> slice:
        """Return where the terms are that a group has more than once."""
        return slice(int(self.start[number]), int(self.often[number]))


def add_up(
    terms: Sequence[Indices],
    tf: Sequence[Counts],
    sizes: Sequence[int],
    vocabulary: int,
    factor: Vector | None = None,
) -> TermSums:
    """Return the sums over groups of rows; group i is the next `sizes[i]` rows.

    Row r has `tf[r][j]` appearances of term `terms[r][j]`.
    """
    rows = len(terms)
    row_start = np.zeros(rows + 1, dtype=np.int64)
    row_start[1:] = np.cumsum([len(row) for row in terms])
    joined = np.concatenate(terms) if rows else np.zeros(0, dtype=np.int32)
    counts = np.concatenate(tf) if rows else np.zeros(0, dtype=np.int32)
    weights = np.ones(rows) if factor is None else factor
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    often = np.zeros(len(sizes), dtype=np.int64)
    found = np.empty(len(joined), dtype=np.int32)
    total = np.empty(len(joined), dtype=np.int32)
    decayed = np.empty(len(joined))
    scratch = np.zeros((vocabulary, 2), dtype=np.int32)  # slot and df side by side
    group_end = np.cumsum(np.asarray(sizes, dtype=np.int64))
    out = (start, often, found, total, decayed)
    _add_up(joined, counts, row_start, weights, group_end, scratch, out)
    end = start[-1]
    df = scratch[:, 1].copy()
    return TermSums(start, often, found[:end], total[:end], decayed[:end], df)


@njit(cache=True, nogil=True)
def _add_up(joined, counts, row_start, weights, group_end, scratch, out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0913
    """Sum each group; scratch says where in the output a term was last put, plus 1.

    A place of an earlier group is before the group's start, so it needs no reset.
    """
    start, often, terms, tf, sums = out
    row = 0
    place = 0
    for group in range(len(group_end)):
        first = place
        while row < group_end[group]:
            weight = weights[row]
            for i in range(row_start[row], row_start[row + 1]):
                term = joined[i]
                found = scratch[term, 0] - 1
                if found < first:
                    found = place
                    terms[found] = term
                    tf[found] = 0
                    sums[found] = 0.0
                    place += 1
                    scratch[term, 0] = place
                    scratch[term, 1] += 1
                tf[found] += counts[i]
                sums[found] += weight * counts[i]
            row += 1
        front = first
        for i in range(first, place):
            if tf[i] > 1:
                terms[front], terms[i] = terms[i], terms[front]
                tf[front], tf[i] = tf[i], tf[front]
                sums[front], sums[i] = sums[i], sums[front]
                front += 1
        often[group] = front
        start[group + 1] = place
