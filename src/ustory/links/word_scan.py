"""The hot loops of linking, compiled: word cosines of new articles with the window."""

from __future__ import annotations

import numpy as np
from numba import njit

from ustory.window.raw_buffers import ints

# Arrays are typed where these are called: links/word_candidates.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913


@njit(cache=True, nogil=True)
def postings(start, terms, values, vocabulary):
    """Return for each term where its entries begin, their rows and values.

    Rows of a term are ascending: a counting sort, in the time of one reading.
    """
    first = np.zeros(vocabulary + 2, dtype=np.int64)
    row, value = fill_postings(start, terms, values, first)
    return first[:-1], row, value


@njit(cache=True, nogil=True)
def fill_postings(start, terms, values, first):
    """Return the rows and values of postings; write to `first` where terms begin.

    `first` is all 0, and two longer than the vocabulary.
    """
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
    return row, value


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
def weigh_rows(buffers, title, weights, out):
    """Write the weighted terms of articles to `out`, each article of unit length.

    `buffers` says how many terms each has, and where they and their tf lie; `title`
    marks terms of the titles. `weights` are those of tf, of terms, of a title.
    """
    of_tf, idf, double = weights
    longest = 0
    for article in range(len(buffers)):
        longest = max(longest, buffers[article, 0])
    values = np.empty(longest)
    end = 0
    for article in range(len(buffers)):
        size = buffers[article, 0]
        _weigh(buffers[article], title[end : end + size], of_tf, idf, double, values)
        unit_row(values, size, out[end : end + size])
        end += size


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
def _weigh(buffers, title, of_tf, idf, double, values):
    terms, tf = ints(buffers[1], buffers[0]), ints(buffers[2], buffers[0])
    for i in range(buffers[0]):
        weight = of_tf[tf[i]] * idf[terms[i]]
        values[i] = weight * double if title[i] else weight * 1.0


@njit(cache=True, nogil=True)
def near_pairs(block, body, lead, index, floor, out):
    """Write the new articles that are near each article of a block; return how many.

    `block` are the first of its articles and the one after its last; `body` what
    `weigh_rows` needs, and where each title begins; `lead` the starts of lead rows,
    their terms and values; `index` postings of the new articles' bodies, of their
    leads, and which articles these are, ascending.

    One article at a time with all new ones: their sums stay in the cache. Terms of
    both are in order, so each sum is made in order of the terms.
    """
    low, high = block
    buffers, title, begin, (of_tf, idf, double) = body
    lead_start, lead_terms, lead_values = lead
    near_index, early_index, new_rows = index
    new = len(new_rows)
    newer, older, near_out, early_out = out
    values = np.empty(buffers[low:high, 0].max())
    row = np.empty(len(values), dtype=np.float32)
    near, early = np.empty(new), np.empty(new)
    count = 0
    for other in range(low, high):
        size = buffers[other, 0]
        marks = title[begin[other] : begin[other] + size]
        _weigh(buffers[other], marks, of_tf, idf, double, values)
        unit_row(values, size, row)
        near[:] = 0.0
        _add_products(ints(buffers[other, 1], size), row, near_index, near)
        before = count
        for article in range(np.searchsorted(new_rows, other, side="right"), new):
            if near[article] >= floor:
                newer[count] = article
                older[count] = other
                near_out[count] = near[article]
                count += 1
        if count > before:
            early[:] = 0.0
            part = slice(lead_start[other], lead_start[other + 1])
            _add_products(lead_terms[part], lead_values[part], early_index, early)
            for at in range(before, count):
                early_out[at] = early[newer[at]]
    return count


@njit(cache=True, nogil=True)
def _add_products(terms, values, index, out):
    first, rows, weights = index
    for entry in range(len(terms)):
        weight, term = values[entry], np.uint32(terms[entry])
        # unsigned numbers spare the question whether they count from the end
        for at in range(np.uint32(first[term]), np.uint32(first[term + np.uint32(1)])):
            out[np.uint32(rows[at])] += weight * weights[at]


@njit(cache=True, nogil=True)
def row_products(start, terms, values, first, second, out):
    """Write the product of each pair of rows to `out`; terms of a row are ascending."""
    for pair in range(len(first)):
        i, j = start[first[pair]], start[second[pair]]
        end, last = start[first[pair] + 1], start[second[pair] + 1]
        total = 0.0
        while i < end and j < last:
            if terms[i] < terms[j]:
                i += 1
            elif terms[i] > terms[j]:
                j += 1
            else:
                total += values[i] * values[j]
                i += 1
                j += 1
        out[pair] = total


@njit(cache=True, nogil=True)
def put_in_order(order, columns, ends, out):
    """Write the cells of an article's terms in another order, and its lead.

    `columns` are the cells of each term, their sentences and counts, and the second
    word of terms that are two; `ends` the sentences before which title and lead
    end. Of the lead it is how often each word is there: a lead is short, pairs of
    words hardly repeat in another.
    """
    cells, sentences, counts, second = columns
    title, lead = ends
    sentence, count, head, named = out
    start = np.cumsum(cells) - cells
    end = 0
    for place in range(len(order)):
        term = order[place]
        for at in range(start[term], start[term] + cells[term]):
            sentence[end] = sentences[at]
            count[end] = counts[at]
            end += 1
            if sentences[at] < title:
                named[place] = True
            if sentences[at] < lead and second[term] < 0:
                head[place] += counts[at]


@njit(cache=True, nogil=True)
def count_gaps(near, gap, bands, sure, vague):
    """Count how far apart in time surely and vaguely alike pairs are.

    `near` are their cosines, `gap` the nodes between them. A gap between two nodes
    counts for both, in proportion.
    """
    least_sure, low, high = bands
    last = len(sure) - 1
    for pair in range(len(near)):
        if near[pair] < low or high <= near[pair] < least_sure:
            continue
        most = min(gap[pair], float(last))
        node = min(int(most), last - 1)
        part = most - node
        into = sure if near[pair] >= least_sure else vague
        into[node] += 1 - part
        into[node + 1] += part


@njit(cache=True, nogil=True)
def count_terms(terms, df):
    """Add to `df` how often each term is there."""
    for term in terms:
        df[term] += 1
