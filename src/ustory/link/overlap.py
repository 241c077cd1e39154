"""The hot loops of copies, compiled: which text another article had first."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arrays are typed where these are called: link/copies.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, C901, PLR0913

COMMON = 50
"""Articles from which on a term is left out, where they are an eighth of the window
too: such words say nothing of a copy, and take most of the time."""


@njit(cache=True, nogil=True)
def mark_copies(texts, index, idf, rules, new, original):
    """Write to `original` which row each of the `new` last rows is a copy of.

    `texts` are the starts of the rows, their terms and counts; `index` the postings
    of all rows; `rules` the share of the shorter text and the terms that must be in
    common. Rows that are no copies keep their -1.
    """
    start, terms, tf = texts
    first = index[0]
    copied, short = rules
    many = len(start) - 1
    most = max(COMMON, many // 8)
    weight, length = np.zeros(many), np.zeros(many)
    for row in range(many):
        for entry in range(start[row], start[row + 1]):
            if first[terms[entry] + 1] - first[terms[entry]] > most:
                continue
            weight[row] += tf[entry] * idf[terms[entry]]
            length[row] += tf[entry]
    shared, common = np.empty(many), np.empty(many)
    for row in range(many - new, many):
        shared[:row] = 0.0
        common[:row] = 0.0
        _share(row, texts, index, idf, most, shared, common)
        closest = 0.0
        for other in range(row):
            if original[other] >= 0 or common[other] == 0.0:
                continue
            longer = max(length[row], length[other])
            if common[other] < min(short, longer):
                continue
            if shared[other] < copied * min(weight[row], weight[other]):
                continue
            near = shared[other] / max(weight[row], weight[other])
            if near > closest:
                closest = near
                original[row] = other


@njit(cache=True, nogil=True)
def _share(row, texts, index, idf, most, shared, common):
    """Add the weight and number of terms that the row shares with all before it.

    A term counts as often as both have it.
    """
    start, terms, tf = texts
    first, rows, counts = index
    for entry in range(start[row], start[row + 1]):
        term = terms[entry]
        if first[term + 1] - first[term] > most:
            continue
        for at in range(first[term], first[term + 1]):
            other = rows[at]
            if other >= row:
                break
            both = min(tf[entry], counts[at])
            shared[other] += both * idf[term]
            common[other] += both
