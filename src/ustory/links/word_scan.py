"""The hot loops of linking, compiled: word cosines of new articles with the window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ustory.core.arrays import Indices, Mask, Matrix, Vector
from ustory.core.kernels import njit
from ustory.window.raw_buffers import ints

# Arrays are typed where these are called: links/word_candidates.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913


FEW = 32
"""How many times as many terms one row must have for those of the other to be looked up
in it, one by one. Products are the same, to the last bit."""


class Rows(NamedTuple):
    """Weighted terms of many articles, one after the other, each of unit length."""

    start: Indices
    terms: Indices
    values: Matrix


class Postings(NamedTuple):
    """The articles that have each term: the entries of `Rows` in order of terms."""

    first: Indices
    """(vocabulary + 2,) where the entries of each term begin."""
    rows: Indices
    """Of a term ascending."""
    values: Matrix


class Weighed(NamedTuple):
    """What it takes to weigh the terms of articles where they lie."""

    buffers: Indices
    """(articles, 3) the number of terms, the addresses of terms and tf."""
    start: Indices
    """(articles + 1,) where the terms of each begin in `title`."""
    title: Mask
    """(terms,) which terms the title has, too."""
    of_tf: Vector
    idf: Vector
    of_title: float
    """Weight of each tf, of each term, and of a term in the title."""


class FoundPairs(NamedTuple):
    """Pairs of rows, and the cosines of their bodies and leads."""

    newer: Indices
    older: Indices
    body: Vector
    lead: Vector

    def head(self, count: int) -> FoundPairs:
        """Return the first pairs."""
        newer, older, body, lead = self
        return FoundPairs(newer[:count], older[:count], body[:count], lead[:count])


class NewIndex(NamedTuple):
    """The new articles of a slide, by the terms of their bodies and leads."""

    body: Postings
    lead: Postings
    rows: Indices
    """Which rows of the window they are, ascending."""


@njit(cache=True, nogil=True)
def postings(rows, first):
    """Return the postings of rows: a counting sort, in the time of one reading.

    `first` is all 0, two longer than the vocabulary, and becomes theirs.
    """
    start, terms, values = rows.start, rows.terms, rows.values
    for term in terms:
        first[term + 2] += 1
    for term in range(len(first) - 2):
        first[term + 2] += first[term + 1]
    row = np.empty(len(terms), dtype=np.int32)
    value = np.empty(len(terms), dtype=np.float32)
    for i in range(len(start) - 1):
        for entry in range(start[i], start[i + 1]):
            at = first[terms[entry] + 1]
            row[at] = i
            value[at] = values[entry]
            first[terms[entry] + 1] = at + 1
    return Postings(first, row, value)


@njit(cache=True, nogil=True)
def add_products(terms, values, index, out):
    """Add the products of a row with each row of an index to `out`."""
    first, rows, weights = index.first, index.rows, index.values
    for entry in range(len(terms)):
        weight, term = values[entry], np.uint32(terms[entry])
        # uint32 indices let numba skip its check for negative ones
        for at in range(np.uint32(first[term]), np.uint32(first[term + np.uint32(1)])):
            out[np.uint32(rows[at])] += weight * weights[at]


@njit(cache=True, nogil=True)
def unit_row(values, size, out):
    """Write the first `size` values to `out`, scaled to unit length; all 0 stay so."""
    squares = 0.0
    for i in range(size):
        squares += values[i] * values[i]
    length = np.sqrt(squares)
    scale = 1.0 / length if length > 0 else 0.0
    for i in range(size):
        out[i] = values[i] * scale


@njit(cache=True, nogil=True)
def weigh_rows(weighed, out):
    """Write the weighted terms of articles to `out`, each article of unit length."""
    buffers = weighed.buffers
    longest = 0
    for article in range(len(buffers)):
        longest = max(longest, buffers[article, 0])
    values = np.empty(longest)
    for article in range(len(buffers)):
        _weigh(weighed, article, values)
        part = slice(weighed.start[article], weighed.start[article + 1])
        unit_row(values, buffers[article, 0], out[part])


@njit(cache=True, nogil=True)
def weigh_leads(buffers, start, lead, weight, idf, terms, out):
    """Write the terms of leads, and their weights, each lead of unit length.

    `buffers` are the articles; the lead of article i is from `start[i]` on in `lead`,
    places among its terms, and in `weight`, what their tf weigh.
    """
    for article in range(len(buffers)):
        low, high = start[article], start[article + 1]
        own = ints(buffers[article, 1], buffers[article, 0])
        for at in range(low, high):
            terms[at] = own[lead[at]]
            weight[at] *= idf[terms[at]]
        unit_row(weight[low:high], high - low, out[low:high])


@njit(cache=True, nogil=True)
def _weigh(weighed, article, values):
    buffers, idf, of_tf = weighed.buffers[article], weighed.idf, weighed.of_tf
    title = weighed.title[weighed.start[article] : weighed.start[article + 1]]
    terms, tf = ints(buffers[1], buffers[0]), ints(buffers[2], buffers[0])
    for i in range(buffers[0]):
        weight = of_tf[tf[i]] * idf[terms[i]]
        values[i] = weight * weighed.of_title if title[i] else weight * 1.0


@njit(cache=True, nogil=True)
def near_pairs(block, weighed, leads, index, floor, out):
    """Write the new articles that are near each article of a block; return how many.

    `block` are the first of its articles and the one after its last; `leads` are the
    rows of their leads; `index` has the postings of the new articles' bodies and
    leads.

    One article at a time is compared with all new ones: their sums stay in the cache.
    Terms of both are in order, so each sum is made in order of the terms.
    """
    low, high = block
    buffers, new_rows, new = weighed.buffers, index.rows, len(index.rows)
    values = np.empty(buffers[low:high, 0].max())
    row = np.empty(len(values), dtype=np.float32)
    near, early = np.empty(new), np.empty(new)
    count = 0
    for other in range(low, high):
        size = buffers[other, 0]
        _weigh(weighed, other, values)
        unit_row(values, size, row)
        near[:] = 0.0
        add_products(ints(buffers[other, 1], size), row, index.body, near)
        before = count
        for article in range(np.searchsorted(new_rows, other, side="right"), new):
            if near[article] >= floor:
                out.newer[count] = article
                out.older[count] = other
                out.body[count] = near[article]
                count += 1
        if count > before:
            early[:] = 0.0
            part = slice(leads.start[other], leads.start[other + 1])
            add_products(leads.terms[part], leads.values[part], index.lead, early)
            for at in range(before, count):
                out.lead[at] = early[out.newer[at]]
    return count


@njit(cache=True, nogil=True)
def row_products(rows, first, second, out):
    """Write the product of each pair of rows to `out`."""
    for pair in range(len(first)):
        out[pair] = row_product(rows, first[pair], second[pair])


@njit(cache=True, nogil=True)
def row_product(rows, one, other):
    """Return the product of two rows, whose terms are ascending."""
    start, terms, values = rows.start, rows.terms, rows.values
    mine = slice(start[one], start[one + 1])
    theirs = slice(start[other], start[other + 1])
    return product(terms[mine], values[mine], terms[theirs], values[theirs])


@njit(cache=True, nogil=True)
def product(terms, values, terms2, values2):
    """Return the product of two rows, whose terms are ascending."""
    if len(terms) * FEW < len(terms2):
        return _product_of_few(terms, values, terms2, values2)
    if len(terms2) * FEW < len(terms):
        return _product_of_few(terms2, values2, terms, values)
    i, j, total = 0, 0, 0.0
    while i < len(terms) and j < len(terms2):
        if terms[i] < terms2[j]:
            i += 1
        elif terms[i] > terms2[j]:
            j += 1
        else:
            total += values[i] * values2[j]
            i += 1
            j += 1
    return total


@njit(cache=True, nogil=True)
def _product_of_few(terms, values, terms2, values2):
    """Return the same where the first has few terms: they are looked up."""
    total, low = 0.0, 0
    for i in range(len(terms)):
        high = len(terms2)
        while low < high:
            middle = (low + high) // 2
            if terms2[middle] < terms[i]:
                low = middle + 1
            else:
                high = middle
        if low == len(terms2):
            break
        if terms2[low] == terms[i]:
            total += values[i] * values2[low]
    return total


@njit(cache=True, nogil=True)
def added(terms, values, terms2, values2):
    """Return the sum of two rows, whose terms are ascending."""
    found = np.empty(len(terms) + len(terms2), dtype=terms.dtype)
    sums = np.empty(len(found))
    i, j, end = 0, 0, 0
    while i < len(terms) or j < len(terms2):
        mine = j == len(terms2) or (i < len(terms) and terms[i] <= terms2[j])
        theirs = i == len(terms) or (j < len(terms2) and terms2[j] <= terms[i])
        found[end] = terms[i] if mine else terms2[j]
        sums[end] = (values[i] if mine else 0.0) + (values2[j] if theirs else 0.0)
        i, j, end = i + mine, j + theirs, end + 1
    return found[:end], sums[:end]


@njit(cache=True, nogil=True)
def count_terms(terms, df):
    """Add to `df` how often each term is there."""
    for term in terms:
        df[term] += 1
