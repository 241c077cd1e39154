"""The hot loops of finding keywords, compiled: sums, counts, and the N largest."""

from __future__ import annotations

import numpy as np
from numba import njit

from ustory.window.raw_buffers import ints
from ustory.window.tally import slot_of, table_size

# Arrays are typed where these are called: corpora.py, stories.py, articles.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, C901, PLR0913, PLR0915


@njit(cache=True, nogil=True)
def sum_terms(rows, weight, group_end, least, tables, held, out):
    """Sum the terms of each group of rows; write those it has often enough.

    Rows are addresses and lengths of terms and frequencies. Out are the terms with
    their plain and weighted sums, and where each group's begin; `held` is room for
    all those of one group. Of the tables one is room to find a group's terms in,
    the other, of zeros, counts how many groups have each term.
    """
    terms_at, tf_at, length = rows
    start, terms, plain, weighted = out
    slots, df = tables
    term, times, sums = held
    kept = 0
    row = 0
    for group in range(len(group_end)):
        count = 0
        entries = 0
        for i in range(row, group_end[group]):
            entries += length[i]
        size = table_size(entries)
        slots[:size] = 0
        while row < group_end[group]:
            theirs = ints(terms_at[row], length[row])
            tf = ints(tf_at[row], length[row])
            for i in range(length[row]):
                one = theirs[i]
                at = slot_of(one, slots, size, term)
                found = slots[at] - 1
                if found < 0:
                    term[count] = one
                    times[count] = tf[i]
                    sums[count] = weight[row] * tf[i]
                    count += 1
                    slots[at] = count
                else:
                    times[found] += tf[i]
                    sums[found] += weight[row] * tf[i]
            row += 1
        for i in range(count):  # in a loop of its own: three times as fast
            df[term[i]] += 1
        for i in range(count):
            if times[i] >= least:
                terms[kept] = term[i]
                plain[kept] = times[i]
                weighted[kept] = sums[i]
                kept += 1
        start[group + 1] = kept
    return kept


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


@njit(cache=True, nogil=True)
def own_keywords(rows, factor, df, idf, keep, out):
    """Write the top terms of each article by tf · idf, and return how many there are.

    Terms seen once are looked at only where the last of the others does not
    outweigh the rarest of them. Weights are compared as float32, of equal ones the
    earlier is first; out are the entries, ascending, their articles and weights.
    """
    terms_at, tf_at, length = rows
    entry, article, weight = out
    best = np.empty(keep, dtype=np.int64)
    rank = np.empty(keep, dtype=np.float32)
    end = 0
    for row in range(len(length)):
        term = ints(terms_at[row], length[row])
        tf = ints(tf_at[row], length[row])
        held = 0
        for least in (2, 1):
            once = np.float32(factor[row] * idf[1])
            if least == 1 and held == keep and rank[keep - 1] > once:
                break
            held = 0
            for i in range(length[row]):
                if tf[i] < least:
                    continue
                one = np.float32((tf[i] * factor[row]) * idf[df[term[i]]])
                if held == keep and one <= rank[keep - 1]:
                    continue
                at = min(held, keep - 1)
                while at > 0 and rank[at - 1] < one:
                    rank[at] = rank[at - 1]
                    best[at] = best[at - 1]
                    at -= 1
                rank[at] = one
                best[at] = i
                held = min(held + 1, keep)
        found = np.sort(best[:held])
        for i in range(held):
            entry[end] = found[i]
            article[end] = row
            weight[end] = (tf[found[i]] * factor[row]) * idf[df[term[found[i]]]]
            end += 1
    return end
