"""The hot loops of representing articles, compiled: sums of weighted sentences."""

from __future__ import annotations

import numpy as np
from numba import njit

from ustory.window.raw_buffers import (
    CELLS,
    COUNT,
    ENTRIES,
    SENTENCE,
    SENTENCES,
    VECTORS,
    floats,
    ints,
)

# Arrays are typed where these are called: paper/embedding/article.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201


@njit(cache=True, nogil=True)
def sum_relevance(buffers, hits, start, out):
    """Write the relevance of every sentence to each row's theme, summing to 1 (Eq. 2).

    Row r is the article at `buffers[r]`, and its sentences begin at `start[r]`;
    its `Hits` say which entries of the article, ascending, weigh how much.
    """
    hit_start, entry, weight = hits.start, hits.entry, hits.weight
    for row in range(len(buffers)):
        entries, sentences = buffers[row, ENTRIES], buffers[row, SENTENCES]
        cells = ints(buffers[row, CELLS], entries)
        last = 0
        cell = 0
        scores = out[start[row] : start[row + 1]]
        scores[:] = 0.0
        total = 0.0
        for hit in range(hit_start[row], hit_start[row + 1]):
            while last < entry[hit]:
                cell += cells[last]
                last += 1
            count = cells[last]
            sentence = ints(buffers[row, SENTENCE], cell + count)
            times = ints(buffers[row, COUNT], cell + count)
            for i in range(cell, cell + count):
                scores[sentence[i]] += weight[hit] * times[i]
                total += weight[hit] * times[i]
        if total > 0.0:
            for i in range(sentences):
                scores[i] /= total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def sum_sentences(buffers, start, weights, out):
    """Write the weighted sum of each row's sentences; without weights their mean."""
    dim = out.shape[1]
    for row in range(len(buffers)):
        sentences = buffers[row, SENTENCES]
        vectors = floats(buffers[row, VECTORS], sentences, dim)
        ours = out[row]
        ours[:] = 0.0
        some = False
        for i in range(sentences):
            scale = np.float32(weights[start[row] + i])
            if scale > 0.0:
                some = True
                theirs = vectors[i]
                for d in range(dim):
                    ours[d] += scale * theirs[d]
        if not some:
            share = np.float32(1.0 / max(sentences, 1))
            for i in range(sentences):
                theirs = vectors[i]
                for d in range(dim):
                    ours[d] += share * theirs[d]
