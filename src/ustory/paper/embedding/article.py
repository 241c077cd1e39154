"""Representations of articles: keyword-weighted sentence sums (Eq. 2 and 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.kernels import njit
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
from ustory.window.unassigned import Batch

# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201


def unit_rows(rows: Matrix) -> Matrix:
    """Return the rows scaled to length 1; a zero vector stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)


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


def plain_means(batch: Batch, sentences: int | None) -> Matrix:
    """Return the mean of the (first) sentence vectors of each article: IndSentMean."""
    return np.stack(
        [a.vectors[:sentences].mean(axis=0, dtype=np.float32) for a in batch.articles]
    )


class Hits(NamedTuple):
    """Keywords found in articles; each row is an article as one theme sees it."""

    article: Indices
    """(rows,) position in the batch."""
    start: Indices
    """(rows + 1,) where each row's hits begin."""
    entry: Indices
    """(hits,) which term entry of the article, counted from its first; ascending."""
    weight: Vector
    """(hits,) importance w_k."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """Theme relevance of the sentences of each row, summing to 1 (Eq. 2)."""

    start: Indices
    """(rows + 1,) where each row's sentences begin."""
    weight: Vector


def theme_relevance(batch: Batch, hits: Hits) -> Relevance:
    """Return how relevant every sentence is: Σ_k |k ∈ 𝒯_s| w_k, over all (Eq. 2)."""
    buffers = batch.buffers[hits.article]
    start = np.concatenate([[0], np.cumsum(buffers[:, SENTENCES])])
    weight = np.empty(int(start[-1]))
    sum_relevance(buffers, hits, start, weight)
    return Relevance(start, weight)


def thematic_means(batch: Batch, hits: Hits) -> Matrix:
    """Return E_a|C of each row: sentences weighted by relevance: ThemSentMean.

    A row without any relevant sentence is the mean of them all.
    """
    found = theme_relevance(batch, hits)
    rows = np.empty((len(hits.article), batch.dim), dtype=np.float32)
    sum_sentences(batch.buffers[hits.article], found.start, found.weight, rows)
    return rows


def relevance(batch: Batch, hits: Hits) -> sparse.csr_array:
    """Return the theme relevance of every sentence of a batch, one row per row of hits.

    Row r of the result holds, sentence by sentence, Σ_k |k ∈ 𝒯_s| w_k (Def 4.2,
    the numerator of Eq. 2), a sentence once for each of its keywords.
    """
    rows = len(hits.article)
    row = np.repeat(np.arange(rows), np.diff(hits.start))
    entry = batch.entry_start[hits.article][row] + hits.entry
    cells = batch.cells[entry]
    end = np.cumsum(cells, dtype=np.int32)
    cell = np.arange(int(end[-1]) if len(end) else 0, dtype=np.int32)
    cell += np.repeat(batch.cell_start[entry] - (end - cells), cells)
    scores = batch.count[cell] * np.repeat(hits.weight, cells)
    start = np.zeros(rows + 1, dtype=np.int32)
    start[1:] = np.cumsum(np.bincount(row, cells, rows))
    return sparse.csr_array(
        (scores, batch.sentence[cell], start),
        shape=(rows, int(batch.sentence_start[-1])),
    )


def sentence_weights(
    scores: sparse.csr_array, sentences: int | None
) -> sparse.csr_array:
    """Return rows that sum to 1 (Eq. 2), on the most relevant sentences only."""
    if sentences is not None:
        scores = _most_relevant(scores, sentences)
    row = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    total = np.bincount(row, scores.data, scores.shape[0])
    return sparse.csr_array(
        (scores.data / total[row], scores.indices, scores.indptr), shape=scores.shape
    )


def _most_relevant(scores: sparse.csr_array, sentences: int) -> sparse.csr_array:
    """Keep the best sentences of each row; ties go to the earlier sentence."""
    merged = scores.copy()
    merged.sum_duplicates()
    keep = np.zeros(merged.nnz, dtype=bool)
    for start, end in zip(merged.indptr[:-1], merged.indptr[1:], strict=True):
        rank = merged.data[start:end].astype(np.float32)
        order = np.lexsort((merged.indices[start:end], -rank))
        keep[start + order[:sentences]] = True
    kept = np.concatenate([[0], np.cumsum(keep)])
    return sparse.csr_array(
        (merged.data[keep], merged.indices[keep], kept[merged.indptr]),
        shape=merged.shape,
    )
