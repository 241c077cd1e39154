"""The hot loops of finding keywords, compiled: sums, counts, and the N largest."""

from __future__ import annotations

import numpy as np
from numba import njit

from ustory.window.addresses import ints

# Arrays are typed where these are called: themes/corpora.py, stories.py, articles.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0915


@njit(cache=True, nogil=True)
def sum_terms(rows, weight, group_end, least, table, out):
    """Sum the terms of each group of rows; write those it has often enough.

    Rows are addresses and lengths of terms and frequencies; `least[group]` says
    what is often. Out are the terms with their plain and weighted sums, and where
    each group's begin. `table`, of zeros, holds for each term where it was last
    put, plus 1, and how many groups have it. A place of an earlier group is below
    the group's first, so it needs no reset.
    """
    terms_at, tf_at, length = rows
    start, terms, plain, weighted = out
    most = _longest(length, group_end)
    term = np.empty(most, dtype=np.int32)
    times = np.empty(most, dtype=np.int32)
    sums = np.empty(most, dtype=np.float64)
    first = 0
    kept = 0
    row = 0
    for group in range(len(group_end)):
        held = 0
        while row < group_end[group]:
            theirs = ints(terms_at[row], length[row])
            count = ints(tf_at[row], length[row])
            for i in range(length[row]):
                one = theirs[i]
                found = table[one, 0] - 1 - first
                if found < 0:
                    term[held] = one
                    times[held] = count[i]
                    sums[held] = weight[row] * count[i]
                    held += 1
                    table[one, 0] = first + held
                    table[one, 1] += 1
                else:
                    times[found] += count[i]
                    sums[found] += weight[row] * count[i]
            row += 1
        for i in range(held):
            if times[i] >= least[group]:
                terms[kept] = term[i]
                plain[kept] = times[i]
                weighted[kept] = sums[i]
                kept += 1
        first += held
        start[group + 1] = kept


@njit(cache=True, nogil=True)
def _longest(length, group_end):
    """Return the most entries that a group has."""
    most = 0
    row = 0
    for group in range(len(group_end)):
        entries = 0
        while row < group_end[group]:
            entries += length[row]
            row += 1
        most = max(most, entries)
    return most


@njit(cache=True, nogil=True)
def largest(rank, start, keep, places):
    """Write the places of the largest of each segment, largest first.

    Of equal ones the earlier is first. `places` is (segments, keep).
    """
    for segment in range(len(start) - 1):
        held = 0
        for i in range(start[segment], start[segment + 1]):
            if held == keep and rank[i] <= rank[places[segment, keep - 1]]:
                continue
            at = min(held, keep - 1)
            while at > 0 and rank[places[segment, at - 1]] < rank[i]:
                places[segment, at] = places[segment, at - 1]
                at -= 1
            places[segment, at] = i
            held = min(held + 1, keep)


@njit(cache=True, nogil=True)
def often_of(rows, least, out):
    """Write the entries of each row that it has often enough, and where they begin."""
    terms_at, tf_at, length = rows
    start, entry, terms, tf = out
    place = 0
    for row in range(len(length)):
        term = ints(terms_at[row], length[row])
        count = ints(tf_at[row], length[row])
        for i in range(length[row]):
            if count[i] >= least[row]:
                entry[place] = i
                terms[place] = term[i]
                tf[place] = count[i]
                place += 1
        start[row + 1] = place
    return place
