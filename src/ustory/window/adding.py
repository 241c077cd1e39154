"""Adds up term frequencies of many articles and panes at once: a compiled kernel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numba import njit

from ustory.core.arrays import Counts, Indices
from ustory.window.raw_buffers import ints
from ustory.window.scratch import SCRATCH
from ustory.window.tally import largest_table, slot_of, table_size


def add_up(
    rows: Sequence[tuple[int, ...]],
    sizes: Sequence[int],
) -> list[tuple[Indices, Counts]]:
    """Return the distinct terms of each group of rows, and how often it has them.

    Group i is the next `sizes[i]` rows; a row says how many terms it has, and
    where their numbers and frequencies lie. Terms are in order of appearance.
    """
    buffers = np.array([row[:3] for row in rows], dtype=np.int64).reshape(len(rows), 3)
    length, terms_at, tf_at = buffers.T.copy()
    most = int(length.sum())
    found = SCRATCH.ints("added: terms", most)
    total = SCRATCH.ints("added: tf", most)
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    group_end = np.cumsum(np.asarray(sizes, dtype=np.int64))
    slots = SCRATCH.ints("slots", largest_table(length, group_end))
    _add_up((terms_at, tf_at, length), group_end, slots, (start, found, total))
    parts = [slice(a, b) for a, b in pairwise(start.tolist())]
    return [(found[part].copy(), total[part].copy()) for part in parts]


@njit(cache=True, nogil=True)
def _add_up(rows, group_end, slots, out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Sum each group; `slots` is room for a table of where its terms were put."""
    terms_at, tf_at, length = rows
    start, terms, tf = out
    row = 0
    place = 0
    for group in range(len(group_end)):
        first = place
        entries = 0
        for i in range(row, group_end[group]):
            entries += length[i]
        size = table_size(entries)
        slots[:size] = 0
        while row < group_end[group]:
            term = ints(terms_at[row], length[row])
            count = ints(tf_at[row], length[row])
            for i in range(length[row]):
                at = slot_of(term[i], slots, size, terms[first:])
                if slots[at] == 0:
                    terms[place] = term[i]
                    tf[place] = count[i]
                    place += 1
                    slots[at] = place - first
                else:
                    tf[first + slots[at] - 1] += count[i]
            row += 1
        start[group + 1] = place
