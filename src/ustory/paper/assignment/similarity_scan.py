"""The hot loops of scoring, compiled: finding pairs, and their cosines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.kernels import njit
from ustory.window.raw_buffers import (
    CELLS,
    COUNT,
    ENTRIES,
    SENTENCE,
    SENTENCES,
    TERMS,
    TF,
    VECTORS,
    floats,
    ints,
)

# Arrays are typed where these are called: paper/assignment/pairs.py and similarity.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, C901


class Uses(NamedTuple):
    """Which themes use each keyword: `uses[i]` places from `cells[first[i]]` on."""

    uses: Counts
    first: Indices
    cells: Indices


class PairHits(NamedTuple):
    """Pairs, the row of each pair's story, and the hits of each pair."""

    article: Indices
    row: Indices
    hit_start: Indices
    keyword: Indices
    weight: Vector


class PairColumns(NamedTuple):
    """The columns of `Pairs`, to be filled; `cell` is the place in the themes."""

    article: Indices
    story: Indices
    hit: Indices
    keyword: Indices
    cell: Indices


@njit(cache=True, nogil=True)
def find_keywords(buffers, is_keyword, keywords, out):
    """Write the entries of each article that are keywords of any theme.

    `is_keyword` has a bit for each term; `keywords` are those with one, sorted. `out`
    are the columns of `Keywords`.
    """
    start, entry, terms = out.start, out.entry, out.term
    numbers, tf, cell = out.number, out.tf, out.cell
    place = 0
    for article in range(len(buffers)):
        count = buffers[article, ENTRIES]
        term = ints(buffers[article, TERMS], count)
        times = ints(buffers[article, TF], count)
        cells = ints(buffers[article, CELLS], count)
        begin = 0
        for i in range(count):
            if (is_keyword[term[i] >> 3] >> (term[i] & 7)) & 1:
                entry[place] = i
                terms[place] = term[i]
                numbers[place] = np.searchsorted(keywords, term[i])
                tf[place] = times[i]
                cell[place] = begin
                place += 1
            begin += cells[i]
        start[article + 1] = place
    return place


@njit(cache=True, nogil=True)
def fill_pairs(start, used, stories, width, out):
    """Write the pairs, sorted by (article, story), and their hits, sorted by pair.

    Keywords `start[a]` to `start[a + 1]` are those of article a; `used` says which
    themes, of `width` keywords each, use them. Returns the number of pairs.
    """
    uses, first, cells = used.uses, used.first, used.cells
    pair_article, pair_story = out.article, out.story
    hit_pair, hit_keyword, hit_cell = out.hit, out.keyword, out.cell
    count = np.zeros(stories, dtype=np.int64)
    place = np.zeros(stories, dtype=np.int64)
    pair = 0
    hit = 0
    for article in range(len(start) - 1):
        for i in range(start[article], start[article + 1]):
            for use in range(first[i], first[i] + uses[i]):
                count[cells[use] // width] += 1
        for story in range(stories):
            if count[story] > 0:
                pair_article[pair] = article
                pair_story[pair] = story
                place[story] = hit
                for i in range(hit, hit + count[story]):
                    hit_pair[i] = pair
                hit += count[story]
                count[story] = 0
                pair += 1
        for i in range(start[article], start[article + 1]):
            for use in range(first[i], first[i] + uses[i]):
                story = cells[use] // width
                hit_keyword[place[story]] = i
                hit_cell[place[story]] = cells[use]
                place[story] += 1
    return pair


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def pair_cosines(buffers, keywords, pairs, stories, out):
    """Write cos(E_a|C, E_C|a) of each pair: Eq. 2 without its denominator.

    `pairs` are `PairHits`. A row of the stories, already of unit length, is compared
    with the sum of the sentences that have a keyword, each by the weight of its
    keywords. The sum of a keyword's sentences is the same for all stories.
    """
    pair_article, hit_start, row = pairs.article, pairs.hit_start, pairs.row
    keyword, weight = pairs.keyword, pairs.weight
    dim = stories.shape[1]
    most = np.max(np.diff(keywords.start))
    sums = np.empty((most, dim), dtype=np.float32)
    ours = np.empty(dim, dtype=np.float32)
    last = -1
    base = 0
    for pair in range(len(pair_article)):
        article = pair_article[pair]
        if article != last:
            last = article
            base = keywords.start[article]
            sum_keywords(buffers[article], keywords, article, sums)
        first = hit_start[pair]
        scale = np.float32(weight[first])
        theirs = sums[keyword[first] - base]
        for d in range(dim):
            ours[d] = scale * theirs[d]
        for hit in range(first + 1, hit_start[pair + 1]):
            scale = np.float32(weight[hit])
            theirs = sums[keyword[hit] - base]
            for d in range(dim):
                ours[d] += scale * theirs[d]
        product = np.float32(0.0)
        square = np.float32(0.0)
        story = stories[row[pair]]
        for d in range(dim):
            product += ours[d] * story[d]
            square += ours[d] * ours[d]
        out[pair] = product / np.sqrt(square) if square > 0.0 else 0.0


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def sum_keywords(buffers, keywords, article, sums):
    """Sum the sentences of each keyword of an article, weighted by its appearances."""
    dim = sums.shape[1]
    cells = ints(buffers[CELLS], buffers[ENTRIES])
    vectors = floats(buffers[VECTORS], buffers[SENTENCES], dim)
    start, entry, cell = keywords.start, keywords.entry, keywords.cell
    base = start[article]
    for number in range(base, start[article + 1]):
        first = cell[number]
        end = first + cells[entry[number]]
        sentence = ints(buffers[SENTENCE], end)
        times = ints(buffers[COUNT], end)
        ours = sums[number - base]
        scale = np.float32(times[first])
        theirs = vectors[sentence[first]]
        for d in range(dim):
            ours[d] = scale * theirs[d]
        for i in range(first + 1, end):
            scale = np.float32(times[i])
            theirs = vectors[sentence[i]]
            for d in range(dim):
                ours[d] += scale * theirs[d]


@njit(cache=True, nogil=True)
def own_hits(keywords, story, themes, out):
    """Write the hits of each article with one story only; return pairs and hits.

    Article a is paired with `story[a]`, or with none if that is negative.
    """
    start, term = keywords.start, keywords.term
    pair_article, hit_pair = out.article, out.hit
    hit_keyword, hit_cell = out.keyword, out.cell
    width = themes.shape[1]
    pair = 0
    hit = 0
    for article in range(len(story)):
        if story[article] < 0:
            continue
        theme = themes[story[article]]
        before = hit
        for i in range(start[article], start[article + 1]):
            for k in range(width):
                if theme[k] == term[i]:
                    hit_pair[hit] = pair
                    hit_keyword[hit] = i
                    hit_cell[hit] = story[article] * width + k
                    hit += 1
        if hit > before:
            pair_article[pair] = article
            pair += 1
    return pair, hit


@njit(cache=True, nogil=True)
def sum_excess(article, odds, excess):
    """Add to each article's excess the odds of its pairs, less 1."""
    for pair in range(len(article)):
        excess[article[pair]] += odds[pair] - 1.0


@njit(cache=True, nogil=True)
def sum_divergence(p, q, pair, total):
    """Add to each pair's total, of ones, p·log2(p/m) + q·log2(q/m) − q of its hits.

    m is the mean of p and q. A keyword that the article does not have adds its q,
    so the sums are complete although only shared keywords are visited.
    """
    for hit in range(len(pair)):
        middle = (p[hit] + q[hit]) / 2
        total[pair[hit]] += (
            p[hit] * np.log2(p[hit] / middle)
            + q[hit] * np.log2(q[hit] / middle)
            - q[hit]
        )
