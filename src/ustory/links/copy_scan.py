"""The hot loops of copies, compiled: which text another article had first."""

from __future__ import annotations

import numpy as np
from numba import njit

from ustory.window.raw_buffers import ints

# Arrays are typed where these are called: links/copies.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913

COMMON = 50
"""Articles from which on a term is left out, where they are an eighth of the window
too: such words say nothing of a copy, and take most of the time."""

_ROUNDING = 1e-6
"""Far more than sums in another order differ by."""


@njit(cache=True, nogil=True)
def mark_copies(texts, df, idf, rules, new, room, original):
    """Write to `original` which row each of the `new` last rows is a copy of.

    `texts` say how many terms each row has, and where they and their counts lie;
    `df` how many rows have each term, `idf` what a term weighs that so many have;
    `rules` the share of the shorter text and the terms that must be in common;
    `room` are two arrays of 0, each two longer than the vocabulary. Rows that are
    no copies keep their -1.
    """
    copied, short = rules
    many = len(texts)
    most = max(COMMON, many // 8)
    weight, length = np.zeros(many), np.zeros(many)
    rare = np.zeros(many, dtype=np.int64)
    by_rarity = np.zeros(most + 1)
    rules = copied, most
    for row in range(many):
        sums = _sums(texts[row], df, idf, rules, by_rarity)
        weight[row], length[row], rare[row] = sums
    first, pairs = _suspects(texts, df, rare, new, room)
    for row in range(many - new, many):
        closest = 0.0
        at = row - (many - new)
        for other in pairs[first[at] : first[at + 1]]:
            if original[other] >= 0:
                continue
            shared, common = _shared(texts[row], texts[other], df, idf, most)
            longer = max(length[row], length[other])
            if common == 0.0 or common < min(short, longer):
                continue
            if shared < copied * min(weight[row], weight[other]):
                continue
            near = shared / max(weight[row], weight[other])
            if near > closest:
                closest = near
                original[row] = other


@njit(cache=True, nogil=True)
def _sums(text, df, idf, rules, by_rarity):
    """Return a row's weight and number of terms, and how rare its rarest terms are.

    The terms that no more rows have than that are so much of the row that without
    any of them in common it is no copy, as far as it is the shorter of two.
    `by_rarity` is room, all 0 before and after.
    """
    copied, most = rules
    terms, tf = ints(text[1], text[0]), ints(text[2], text[0])
    weight, length = 0.0, 0.0
    for i in range(len(terms)):
        rows = df[terms[i]]
        if rows <= most:
            weight += tf[i] * idf[rows]
            length += tf[i]
            by_rarity[rows] += tf[i] * idf[rows]
    without = weight * (1.0 - copied + _ROUNDING)
    rare, held = 0, 0.0
    while rare < most and held < without:
        rare += 1
        held += by_rarity[rare]
    for term in terms:
        if df[term] <= most:
            by_rarity[df[term]] = 0.0
    return weight, length, rare


@njit(cache=True, nogil=True)
def _suspects(texts, df, rare, new, room):
    """Return the rows before each new one that share a rare term of either of them.

    All others are no copies, whatever else they share. Rows of a new one are
    ascending, those of the first new one come first.
    """
    first, first_rare = room
    most = rare.max()
    rows = _postings(texts, df, np.full(len(rare), most), new, first)
    rows_rare = _postings(texts, df, rare, new, first_rare)
    start = len(texts) - new
    seen = np.full(new, -1, dtype=np.int64)
    newer = np.empty(1024, dtype=np.int64)
    older = np.empty(1024, dtype=np.int64)
    count = 0
    for row in range(len(texts)):
        terms = ints(texts[row, 1], texts[row, 0])
        for i in range(len(terms)):
            term = terms[i]
            if df[term] < 2 or df[term] > most:
                continue
            low, high, numbers = first_rare[term], first_rare[term + 1], rows_rare
            if df[term] <= rare[row]:
                low, high, numbers = first[term], first[term + 1], rows
            for at in range(low, high):
                other = numbers[at]
                if other + start <= row or seen[other] == row:
                    continue
                seen[other] = row
                if count == len(newer):
                    newer = np.concatenate((newer, np.empty_like(newer)))
                    older = np.concatenate((older, np.empty_like(older)))
                newer[count], older[count] = other, row
                count += 1
    return _by_newer(newer[:count], older[:count], new)


@njit(cache=True, nogil=True)
def _postings(texts, df, limit, new, first):
    """Return which new rows have each term that no more rows have than its limit.

    Where those of a term begin is written to `first`.
    """
    start = len(texts) - new
    for row in range(start, len(texts)):
        for term in ints(texts[row, 1], texts[row, 0]):
            if 2 <= df[term] <= limit[row]:
                first[term + 2] += 1
    for term in range(len(df)):
        first[term + 2] += first[term + 1]
    rows = np.empty(first[-1], dtype=np.int32)
    for row in range(start, len(texts)):
        for term in ints(texts[row, 1], texts[row, 0]):
            if 2 <= df[term] <= limit[row]:
                rows[first[term + 1]] = row - start
                first[term + 1] += 1
    return rows


@njit(cache=True, nogil=True)
def _by_newer(newer, older, new):
    """Return where the pairs of each new row begin, and their older rows."""
    first = np.zeros(new + 2, dtype=np.int64)
    for row in newer:
        first[row + 2] += 1
    for row in range(new):
        first[row + 2] += first[row + 1]
    sorted_by = np.empty(len(older), dtype=np.int64)
    for pair in range(len(older)):
        sorted_by[first[newer[pair] + 1]] = older[pair]
        first[newer[pair] + 1] += 1
    return first, sorted_by


@njit(cache=True, nogil=True)
def _shared(one, other, df, idf, most):
    """Return the weight and number of the terms that two rows share.

    A term counts as often as both have it. Terms of a row are ascending.
    """
    terms, tf = ints(one[1], one[0]), ints(one[2], one[0])
    others, counts = ints(other[1], other[0]), ints(other[2], other[0])
    shared, common = 0.0, 0.0
    i, j = 0, 0
    while i < len(terms) and j < len(others):
        if terms[i] < others[j]:
            i += 1
        elif terms[i] > others[j]:
            j += 1
        else:
            if df[terms[i]] <= most:
                both = min(tf[i], counts[j])
                shared += both * idf[df[terms[i]]]
                common += both
            i += 1
            j += 1
    return shared, common


@njit(cache=True, nogil=True)
def count_rows(texts, df):
    """Add to `df` the rows that have each term."""
    for row in range(len(texts)):
        for term in ints(texts[row, 1], texts[row, 0]):
            df[term] += 1
