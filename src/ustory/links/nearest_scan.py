"""The hot loops of the search in large windows, compiled: rare terms, then cosines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ustory.core.kernels import njit
from ustory.links.word_scan import Postings, row_product

# Arrays are typed where these are called: links/word_candidates.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913


class SearchLimits(NamedTuple):
    """How far a search goes."""

    read: int
    """Entries of the index that a row reads."""
    closest: int
    """Rows that it is compared with in full."""
    floor: float
    """Cosine below which a pair is not kept."""


@njit(cache=True, nogil=True)
def fill_rare(rows, new, most, wanted, first):
    """Return the postings of terms that new rows have, and few rows in all.

    `new` is the first new row; terms that one row has alone, or more than `most`,
    are left out. Where those of a term begin is written to `first`, two longer than
    the vocabulary and all 0; rows of a term are ascending. `wanted` has a bit for
    each term, all 0: few bits stay in the cache, and most terms need no more.
    """
    start, terms, values = rows.start, rows.terms, rows.values
    _want(terms, start[new], most, wanted, first)
    row = np.empty(first[-1], dtype=np.int32)
    value = np.empty(first[-1], dtype=np.float32)
    for i in range(len(start) - 1):
        for entry in range(start[i], start[i + 1]):
            term = terms[entry]
            if wanted[term >> 3] >> (term & 7) & 1:
                at = first[term + 1]
                row[at] = i
                value[at] = values[entry]
                first[term + 1] = at + 1
    return Postings(first, row, value)


@njit(cache=True, nogil=True)
def _want(terms, new, most, wanted, first):
    """Mark the terms to keep, and write to `first` where each will begin."""
    for entry in range(new, len(terms)):
        wanted[terms[entry] >> 3] |= np.uint8(1 << (terms[entry] & 7))
    for term in terms:
        if wanted[term >> 3] >> (term & 7) & 1:
            first[term + 2] += 1
    for term in range(len(first) - 2):
        rows_of = first[term + 2]
        if rows_of < 2 or rows_of > most:
            wanted[term >> 3] &= np.uint8(255 - (1 << (term & 7)))
            rows_of = 0
        first[term + 2] = first[term + 1] + rows_of


@njit(cache=True, nogil=True)
def search_rows(block, body, lead, index, limits, out):
    """Write the rows before each row of a block that are nearest to it; say how many.

    `block` are its first row and the one after its last; `body` and `lead` all rows;
    `index` what `fill_rare` made. The rows found for each are ascending.
    """
    low, high = block
    start, terms, values = body.start, body.terms, body.values
    shared = np.zeros(high)
    touched = np.empty(high, dtype=np.int64)
    longest = 0
    for row in range(low, high):
        longest = max(longest, start[row + 1] - start[row])
    size = 16
    while size < 8 * longest:
        size *= 2
    slot, held = np.full(size, -1, dtype=np.int32), np.empty(size, dtype=np.float32)
    count = 0
    for row in range(low, high):
        own = terms[start[row] : start[row + 1]]
        weights = values[start[row] : start[row + 1]]
        found = _read_rare(row, own, weights, index, limits.read, shared, touched)
        chosen = _closest(shared, touched[:found], limits.closest)
        for other in touched[:found]:
            shared[other] = 0.0
        _hold(own, weights, slot, held)
        for other in chosen:
            part = slice(start[other], start[other + 1])
            product = _product(terms[part], values[part], slot, held)
            if product >= limits.floor:
                out.newer[count] = row
                out.older[count] = other
                out.body[count] = product
                out.lead[count] = row_product(lead, row, other)
                count += 1
        slot[:] = -1
    return count


@njit(cache=True, nogil=True)
def _read_rare(row, own, weights, index, read, shared, touched):
    """Add up what earlier rows share of a row's rarest terms; return how many do.

    All terms as rare as some rarity are read, as long as these are not more than
    `read` entries in all.
    """
    first, rows, values = index.first, index.rows, index.values
    rarest = _rarity(own, first, read)
    found = 0
    for entry in range(len(own)):
        begin, end = first[own[entry]], first[own[entry] + 1]
        if end - begin > rarest:
            continue
        for at in range(begin, end):
            other = rows[at]
            if other >= row:
                break
            product = weights[entry] * values[at]
            if product <= 0.0:
                continue
            if shared[other] == 0.0:
                touched[found] = other
                found += 1
            shared[other] += product
    return found


@njit(cache=True, nogil=True)
def _rarity(own, first, read):
    """Return the most entries that a term may have so that all such are `read`."""
    sizes = np.empty(len(own), dtype=np.int64)
    for entry in range(len(own)):
        sizes[entry] = first[own[entry] + 1] - first[own[entry]]
    sizes.sort()
    total = 0
    rarest = 0
    for i in range(len(sizes)):
        total += sizes[i]
        if total > read:
            break
        if i + 1 == len(sizes) or sizes[i + 1] > sizes[i]:
            rarest = sizes[i]
    return rarest


@njit(cache=True, nogil=True)
def _closest(shared, touched, most):
    """Return the rows that share most, ascending; among equals the earliest."""
    if len(touched) <= most:
        return np.sort(touched)
    values = shared[touched]
    least = np.partition(values, len(values) - most)[len(values) - most]
    chosen = np.sort(touched[values >= least])
    equal = most - np.sum(values > least)
    kept = np.empty(most, dtype=np.int64)
    count = 0
    for row in chosen:
        if shared[row] == least:
            equal -= 1
            if equal < 0:
                continue
        kept[count] = row
        count += 1
    return kept[:count]


@njit(cache=True, nogil=True)
def _place(term, slots):
    """Return where a term is looked for first: a multiple spreads neighbours."""
    return np.int64(np.uint32(term) * np.uint32(2654435761)) & (slots - 1)


@njit(cache=True, nogil=True)
def _hold(terms, weights, slot, held):
    """Put terms and their weights where they are found again: a hash table."""
    last = len(slot) - 1
    for entry in range(len(terms)):
        at = _place(terms[entry], len(slot))
        while slot[at] >= 0:
            at = (at + 1) & last
        slot[at] = terms[entry]
        held[at] = weights[entry]


@njit(cache=True, nogil=True)
def _product(terms, values, slot, held):
    """Return the product of a row with the one that is held."""
    last = len(slot) - 1
    total = 0.0
    for entry in range(len(terms)):
        at = _place(terms[entry], len(slot))
        while slot[at] >= 0:
            if slot[at] == terms[entry]:
                total += values[entry] * held[at]
                break
            at = (at + 1) & last
    return total
