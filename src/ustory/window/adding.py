"""Adds up term frequencies of many articles or panes at once: a compiled kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from ustory.core.arrays import Counts, Indices, Vector


@dataclass(frozen=True, slots=True)
class TermSums:
    """Term frequencies of several groups, one group after the other."""

    start: Indices
    """(groups + 1,) where each group begins."""
    terms: Indices
    tf: Counts
    """Plain sums."""
    decayed: Vector
    """Sums in which each row counts by its factor."""

    def at_least(self, tf: int) -> TermSums:
        """Return only the terms that appear at least `tf` times in their group."""
        keep = self.tf >= tf
        kept = np.concatenate([[0], np.cumsum(keep)])
        return TermSums(
            kept[self.start], self.terms[keep], self.tf[keep], self.decayed[keep]
        )

    def group(self, number: int) -> slice:
        """Return where a group's terms are."""
        return slice(int(self.start[number]), int(self.start[number + 1]))


def add_up(
    terms: Sequence[Indices],
    tf: Sequence[Counts],
    sizes: Sequence[int],
    vocabulary: int,
    factor: Vector | None = None,
) -> TermSums:
    """Return the sums over groups of rows; group i is the next `sizes[i]` rows.

    Row r has `tf[r][j]` appearances of term `terms[r][j]`. Terms of a group
    come in the order in which they first appear.
    """
    rows = len(terms)
    row_start = np.zeros(rows + 1, dtype=np.int64)
    row_start[1:] = np.cumsum([len(row) for row in terms])
    joined = np.concatenate(terms) if rows else np.zeros(0, dtype=np.int32)
    counts = np.concatenate(tf) if rows else np.zeros(0, dtype=np.int32)
    weights = np.ones(rows) if factor is None else factor
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    found = np.empty(len(joined), dtype=np.int32)
    total = np.empty(len(joined), dtype=np.int32)
    decayed = np.empty(len(joined))
    slot = np.zeros(vocabulary, dtype=np.int32)
    group_end = np.cumsum(np.asarray(sizes, dtype=np.int64))
    _add_up(
        joined,
        counts,
        row_start,
        weights,
        group_end,
        slot,
        start,
        (found, total, decayed),
    )
    size = start[-1]
    return TermSums(start, found[:size], total[:size], decayed[:size])


@njit(cache=True, nogil=True)
def _add_up(joined, counts, row_start, weights, group_end, slot, start, out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0913
    """Sum each group; `slot` says where in the output a term was last put, plus 1.

    A slot of an earlier group is before the group's start, so it needs no reset.
    """
    terms, tf, sums = out
    row = 0
    place = 0
    for group in range(len(group_end)):
        first = place
        while row < group_end[group]:
            weight = weights[row]
            for i in range(row_start[row], row_start[row + 1]):
                term = joined[i]
                found = slot[term] - 1
                if found < first:
                    found = place
                    terms[found] = term
                    tf[found] = 0
                    sums[found] = 0.0
                    place += 1
                    slot[term] = place
                tf[found] += counts[i]
                sums[found] += weight * counts[i]
            row += 1
        start[group + 1] = place
