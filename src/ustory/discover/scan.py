"""The hot loops of scoring, compiled: finding pairs, and their cosines."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arrays are typed where these are called: discover/pairs.py and similarity.py.
# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: ANN001, ANN201, C901, PLR0913


@njit(cache=True, nogil=True)
def fill_pairs(start, entry, uses, first, cells, shape, out):
    """Write the pairs, sorted by (article, story), and their hits, sorted by pair.

    Entries `start[a]` to `start[a + 1]` are the keywords in article a; entry i
    is used by `uses[i]` themes, from `cells[first[i]]` on. Returns how many
    pairs there are.
    """
    stories, keywords = shape
    pair_article, pair_story, hit_pair, hit_entry, hit_cell = out
    count = np.zeros(stories, dtype=np.int64)
    place = np.zeros(stories, dtype=np.int64)
    pair = 0
    hit = 0
    for article in range(len(start) - 1):
        for i in range(start[article], start[article + 1]):
            for use in range(first[i], first[i] + uses[i]):
                count[cells[use] // keywords] += 1
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
                story = cells[use] // keywords
                hit_entry[place[story]] = entry[i]
                hit_cell[place[story]] = cells[use]
                place[story] += 1
    return pair


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def pair_cosines(hits, weight, cells, sentences, vectors, story_rows, out):
    """Write cos(E_a|C, E_C|a) of each pair: Eq. 2 without its denominator.

    A row of the stories, already of unit length, is compared with the sum of
    the sentences that have a keyword, each by the weight of its keywords.
    """
    hit_start, entry = hits
    cell_start, cell_count = cells
    sentence, count = sentences
    stories, row = story_rows
    dim = vectors.shape[1]
    ours = np.empty(dim, dtype=np.float32)
    for pair in range(len(hit_start) - 1):
        ours[:] = 0.0
        for hit in range(hit_start[pair], hit_start[pair + 1]):
            first = cell_start[entry[hit]]
            for cell in range(first, first + cell_count[entry[hit]]):
                scale = np.float32(weight[hit] * count[cell])
                theirs = vectors[sentence[cell]]
                for d in range(dim):
                    ours[d] += scale * theirs[d]
        product = np.float32(0.0)
        square = np.float32(0.0)
        story = stories[row[pair]]
        for d in range(dim):
            product += ours[d] * story[d]
            square += ours[d] * ours[d]
        out[pair] = product / np.sqrt(square) if square > 0.0 else 0.0
