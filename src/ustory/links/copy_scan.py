"""The hot loops of copies, compiled: which text another article had first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ustory.core.kernels import njit
from ustory.window.raw_buffers import ints

# Arrays are typed where these are called: links/copies.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913

COMMON = 50
"""Texts that may have a term for it to count, or an eighth of the window if that is
more: common words say nothing of a copy, and take most of the time."""

_ROUNDING = 1e-6
"""Far more than sums in another order differ by."""


class CopyRule(NamedTuple):
    """When a text is a copy, among so many."""

    copied: float
    """Share of the shorter text that the longer one must have."""
    short: int
    """Appearances of terms that both must have."""
    common: int
    """Texts that may have a term for it to count."""


class Texts(NamedTuple):
    """Texts as compiled loops read them, and what each weighs."""

    buffers: Any
    """(texts, 3) the number of terms, and where they and their counts lie."""
    df: Any
    """Texts that have each term."""
    idf: Any
    """What a term weighs that so many texts have."""
    weight: Any
    length: Any
    """Weight and number of the terms of each text that count."""
    rare: Any
    """Without a term in common that at most so many texts have, a text is no copy of
    a longer one."""


@njit(cache=True, nogil=True)
def weigh_texts(buffers, df, idf, rule):
    """Return the weight and the length of each text, and how rare its terms are."""
    many = len(buffers)
    weight, length = np.zeros(many), np.zeros(many)
    rare = np.zeros(many, dtype=np.int64)
    by_rarity = np.zeros(rule.common + 1)
    for row in range(many):
        sums = _sums(buffers[row], df, idf, rule, by_rarity)
        weight[row], length[row], rare[row] = sums
    return weight, length, rare


@njit(cache=True, nogil=True)
def mark_copies(texts, rule, new, room, original):
    """Write to `original` which row each of the `new` last rows is a copy of.

    `room` are two arrays of 0, each two longer than the vocabulary. Rows that are no
    copies keep their -1.
    """
    many = len(texts.buffers)
    first, pairs = _suspects(texts, new, room)
    for row in range(many - new, many):
        at = row - (many - new)
        others = pairs[first[at] : first[at + 1]]
        sums = texts.weight[row], texts.length[row]
        original[row] = _closest(
            texts.buffers[row], sums, others, texts, rule, original
        )


@njit(cache=True, nogil=True)
def closest_original(text, texts, rule, rows, first, rare_rows, first_rare):
    """Return the row that a text from outside is a copy of, -1 if it is none.

    `rows` and `rare_rows` are what `term_rows` returned, and where terms begin there.
    """
    by_rarity = np.zeros(rule.common + 1)
    weight, length, rare = _sums(text, texts.df, texts.idf, rule, by_rarity)
    terms = ints(text[1], text[0])
    seen = np.zeros(len(texts.buffers), dtype=np.bool_)
    known = len(first) - 2
    for term in terms:
        if term >= known:
            continue
        low, high, numbers = first_rare[term], first_rare[term + 1], rare_rows
        if texts.df[term] <= rare:
            low, high, numbers = first[term], first[term + 1], rows
        for at in range(low, high):
            seen[numbers[at]] = True
    others = np.flatnonzero(seen)
    none = np.full(len(texts.buffers), -1, dtype=np.int64)
    return _closest(text, (weight, length), others, texts, rule, none)


@njit(cache=True, nogil=True)
def _closest(text, sums, others, texts, rule, original):
    """Return the one of some rows that a text is a copy of, -1 if it is none.

    `sums` are its weight and length; rows that are copies themselves are left out.
    """
    weight, length = sums
    closest, found = 0.0, -1
    for other in others:
        if original[other] >= 0:
            continue
        shared, common = _shared(text, texts.buffers[other], texts, rule.common)
        longer = max(length, texts.length[other])
        if common == 0.0 or common < min(rule.short, longer):
            continue
        if shared < rule.copied * min(weight, texts.weight[other]):
            continue
        near = shared / max(weight, texts.weight[other])
        if near > closest:
            closest, found = near, other
    return found


@njit(cache=True, nogil=True)
def _sums(text, df, idf, rule, by_rarity):
    """Return a row's weight and number of terms, and how rare its rarest terms are.

    The terms that no more rows have than that are so much of the row that without
    any of them in common it is no copy, as far as it is the shorter of two.
    `by_rarity` is room, all 0 before and after.
    """
    copied, most = rule.copied, rule.common
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
def _suspects(texts, new, room):
    """Return the rows before each new one that share a rare term of either of them.

    All others are no copies, whatever else they share. Rows of a new one are
    ascending, those of the first new one come first.
    """
    first, first_rare = room
    buffers, df, rare = texts.buffers, texts.df, texts.rare
    most = rare.max()
    rows = term_rows(buffers, df, np.full(len(rare), most), new, 2, first)
    rows_rare = term_rows(buffers, df, rare, new, 2, first_rare)
    start = len(buffers) - new
    seen = np.full(new, -1, dtype=np.int64)
    newer = np.empty(1024, dtype=np.int64)
    older = np.empty(1024, dtype=np.int64)
    count = 0
    for row in range(len(buffers)):
        terms = ints(buffers[row, 1], buffers[row, 0])
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
def term_rows(buffers, df, limit, new, least, first):
    """Return which of the `new` last rows have each term, if it is rare enough.

    At least `least` rows must have it, and at most the row's `limit`. Where those of a
    term begin is written to `first`, which is all 0 and two longer than `df`.
    """
    start = len(buffers) - new
    for row in range(start, len(buffers)):
        for term in ints(buffers[row, 1], buffers[row, 0]):
            if least <= df[term] <= limit[row]:
                first[term + 2] += 1
    for term in range(len(first) - 2):
        first[term + 2] += first[term + 1]
    rows = np.empty(first[-1], dtype=np.int32)
    for row in range(start, len(buffers)):
        for term in ints(buffers[row, 1], buffers[row, 0]):
            if least <= df[term] <= limit[row]:
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
def _shared(one, other, texts, most):
    """Return the weight and number of the terms that two rows share.

    A term counts as often as both have it. Terms of a row are ascending.
    """
    df, idf = texts.df, texts.idf
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
