"""The hot loops of linking, compiled: word cosines of new articles with the window."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arrays are typed where these are called: link/words.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, PLR0913


@njit(cache=True, nogil=True)
def postings(start, terms, values, vocabulary):
    """Return for each term where its entries begin, their rows and values.

    Rows of a term are ascending: a counting sort, in the time of one reading.
    """
    first = np.zeros(vocabulary + 1, dtype=np.int64)
    for term in terms:
        first[term + 1] += 1
    for term in range(vocabulary):
        first[term + 1] += first[term]
    place = first[:-1].copy()
    row = np.empty(len(terms), dtype=np.int32)
    value = np.empty(len(terms), dtype=np.float32)
    for i in range(len(start) - 1):
        for entry in range(start[i], start[i + 1]):
            at = place[terms[entry]]
            row[at] = i
            value[at] = values[entry]
            place[terms[entry]] = at + 1
    return first, row, value


@njit(cache=True, nogil=True)
def add_cosines(row, start, terms, values, index, out):
    """Add the products of a row with all rows before it to `out`."""
    first, rows, weights = index
    for entry in range(start[row], start[row + 1]):
        term = terms[entry]
        weight = values[entry]
        for at in range(first[term], first[term + 1]):
            other = rows[at]
            if other >= row:
                break
            out[other] += weight * weights[at]


@njit(cache=True, nogil=True)
def near_rows(row, cosine, floor, found):
    """Write the rows before `row` whose cosine reaches `floor`; return how many."""
    count = 0
    for other in range(row):
        if cosine[other] >= floor:
            found[count] = other
            count += 1
    return count


@njit(cache=True, nogil=True)
def count_gaps(row, cosine, day, unit, bands, sure, vague):
    """Count how far apart in time the row's surely and vaguely alike rows are.

    A gap between two nodes counts for both, in proportion.
    """
    least_sure, low, high = bands
    last = len(sure) - 1
    for other in range(row):
        near = cosine[other]
        if near < low or high <= near < least_sure:
            continue
        gap = min(abs(day[row] - day[other]) / unit, float(last))
        node = min(int(gap), last - 1)
        part = gap - node
        into = sure if near >= least_sure else vague
        into[node] += 1 - part
        into[node + 1] += part
