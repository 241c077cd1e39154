"""The hot loops of finding keywords, compiled: sums, counts, and the N largest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.kernels import njit
from ustory.window.raw_buffers import ints
from ustory.window.tally import slot_of, table_size

# Arrays are typed where these are called: corpora.py, stories.py, articles.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, C901, PLR0915


class TermRows(NamedTuple):
    """Addresses of the terms and frequencies of each row, and how many it has."""

    terms_at: Indices
    tf_at: Indices
    length: Indices


class GroupMemory(NamedTuple):
    """Working memory for the terms of one group, and a count over all groups."""

    slots: Counts
    """A hash table of the group's terms."""
    df: Counts
    """How many groups have each term; zeros at first."""
    term: Indices
    times: Counts
    sums: Vector


class GroupSums(NamedTuple):
    """The terms of each group with their plain and weighted sums."""

    start: Indices
    """(groups + 1,) where the terms of each group begin."""
    terms: Indices
    plain: Counts
    weighted: Vector


class FrequentEntries(NamedTuple):
    """Entries that a row has often enough; row r's are from `start[r]` on."""

    start: Indices
    entry: Indices
    terms: Indices
    tf: Counts


class OwnKeywords(NamedTuple):
    """The top terms of articles: entry, article and weight of each."""

    entry: Indices
    article: Indices
    weight: Vector


@njit(cache=True, nogil=True)
def sum_terms(rows, weight, group_end, least, memory, out):
    """Sum the terms of each group of rows; write those it has often enough.

    The arguments are `TermRows`, `GroupMemory` and `GroupSums`.
    """
    terms_at, tf_at, length = rows.terms_at, rows.tf_at, rows.length
    slots, df = memory.slots, memory.df
    term, times, sums = memory.term, memory.times, memory.sums
    start, terms, plain, weighted = out.start, out.terms, out.plain, out.weighted
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
def frequent_entries(rows, least, out):
    """Write the entries that each row has often enough, as `FrequentEntries`."""
    terms_at, tf_at, length = rows.terms_at, rows.tf_at, rows.length
    start, entry, terms, tf = out.start, out.entry, out.terms, out.tf
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

    Terms seen once are compared only if the last of the others does not outweigh
    the rarest of them. Weights are compared as float32; among equal ones the earlier
    is first. `out` are `OwnKeywords`, entries ascending.
    """
    terms_at, tf_at, length = rows.terms_at, rows.tf_at, rows.length
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
            out.entry[end] = found[i]
            out.article[end] = row
            out.weight[end] = (tf[found[i]] * factor[row]) * idf[df[term[found[i]]]]
            end += 1
    return end
