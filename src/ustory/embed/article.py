"""Article representation: its sentences, the thematic ones first (Def 3)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.window.unassigned import Batch


def plain_means(batch: Batch, sentences: int | None) -> Matrix:
    """Return the mean of the (first) sentence vectors of each article: IndSentMean."""
    return np.stack(
        [a.vectors[:sentences].mean(axis=0, dtype=np.float32) for a in batch.articles]
    )


def relevance(
    batch: Batch, row: Indices, entry: Indices, weight: Vector, rows: int
) -> sparse.csr_array:
    """Return the theme relevance of every sentence, one row per representation.

    Keyword hit i says: for row `row[i]`, term entry `entry[i]` of the batch is
    a keyword of weight `weight[i]`; hits are sorted by row. Row r of the result
    holds, sentence by sentence, Σ_k |k ∈ 𝒯_s| w_k (Def 4.2, the numerator of
    Eq. 2), a sentence once for each of its keywords.
    """
    cells = batch.cells[entry]
    end = np.cumsum(cells, dtype=np.int32)
    cell = np.arange(int(end[-1]) if len(end) else 0, dtype=np.int32)
    cell += np.repeat(batch.cell_start[entry] - (end - cells), cells)
    scores = batch.count[cell] * np.repeat(weight, cells)
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
