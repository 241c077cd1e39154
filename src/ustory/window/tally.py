"""A small hash table for compiled loops: where a term of one group was put."""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201

NEIGHBOURS = 16
"""Terms in a row that share a line of the table: terms of one article are such."""


@njit(cache=True, nogil=True)
def table_size(entries):
    """Return how large the table of a group with so many entries is: a power of 2.

    At most half of it is used. A table over the whole vocabulary would need no
    hashing, but it does not stay in the cache.
    """
    size = 2 * NEIGHBOURS
    while size < 2 * entries:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def slot_of(term, slots, size, terms):
    """Return the slot of a term: that of its place in `terms`, plus 1, or a free one.

    `slots` is 0 where it is free.
    """
    lines = size // NEIGHBOURS
    line = (np.int64(term // NEIGHBOURS) * 2_654_435_761 >> 15) & (lines - 1)
    at = line * NEIGHBOURS + term % NEIGHBOURS
    while slots[at] != 0 and terms[slots[at] - 1] != term:
        # an odd step comes to every slot, whatever terms have in common
        at = (at + NEIGHBOURS + 1) & (size - 1)
    return at


@njit(cache=True, nogil=True)
def largest_table(length, group_end):
    """Return the size of table that the largest group of rows needs."""
    most = 0
    row = 0
    for group in range(len(group_end)):
        entries = 0
        while row < group_end[group]:
            entries += length[row]
            row += 1
        most = max(most, entries)
    return table_size(most)
