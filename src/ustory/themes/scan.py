"""The hot loops of finding keywords, compiled: sums, counts, and the N largest."""

from __future__ import annotations

from numba import njit

from ustory.window.addresses import ints

# Arrays are typed where these are called: themes/corpora.py, stories.py, articles.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, PLR0913, PLR0915


@njit(cache=True, nogil=True)
def sum_terms(rows, weight, group_end, least, tables, held, out):
    """Sum the terms of each group of rows; write those it has often enough.

    Rows are addresses and lengths of terms and frequencies. Out are the terms with
    their plain and weighted sums, and where each group's begin; `held` is room for
    all those of one group. Of the tables, both of zeros, one says where a term was
    last put, plus 1, the other how many groups have it. A place of an earlier group
    is below the group's first, so it needs no reset.
    """
    terms_at, tf_at, length = rows
    start, terms, plain, weighted = out
    slot, df = tables
    term, times, sums = held
    first = 0
    kept = 0
    row = 0
    for group in range(len(group_end)):
        count = 0
        while row < group_end[group]:
            theirs = ints(terms_at[row], length[row])
            tf = ints(tf_at[row], length[row])
            for i in range(length[row]):
                one = theirs[i]
                found = slot[one] - first
                if found <= 0:
                    term[count] = one
                    times[count] = tf[i]
                    sums[count] = weight[row] * tf[i]
                    count += 1
                    slot[one] = first + count
                    df[one] += 1
                else:
                    times[found - 1] += tf[i]
                    sums[found - 1] += weight[row] * tf[i]
            row += 1
        for i in range(count):
            if times[i] >= least:
                terms[kept] = term[i]
                plain[kept] = times[i]
                weighted[kept] = sums[i]
                kept += 1
        first += count
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
