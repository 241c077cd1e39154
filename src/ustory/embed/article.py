"""Article representation: its sentences, the thematic ones first (Def 3)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.window.unassigned import Batch


def plain_means(batch: Batch, sentences: int | None) -> Matrix:
    """Return the mean of the (first) sentence vectors of each article: IndSentMean."""
    limit = sentences or np.iinfo(np.int32).max
    return np.stack(
        [a.vectors[:limit].mean(axis=0, dtype=np.float32) for a in batch.articles]
    )


def relevance(
    batch: Batch, row: Indices, entry: Indices, weight: Vector, rows: int
) -> sparse.csr_array:
    """Return the theme relevance of every sentence, one row per representation.

    Keyword hit i says: for row `row[i]`, term entry `entry[i]` of the batch is
    a keyword of weight `weight[i]`. Row r of the result holds, for each
    sentence, Σ_k |k ∈ 𝒯_s| w_k (Def 4.2, the numerator of Eq. 2).
    """
    cells = batch.cells[entry]
    hit = np.repeat(np.arange(len(entry), dtype=np.int32), cells)
    ramp = np.arange(len(hit)) - np.repeat(np.cumsum(cells) - cells, cells)
    cell = batch.cell_start[entry][hit] + ramp
    return sparse.coo_array(
        (batch.count[cell] * weight[hit], (row[hit], batch.sentence[cell])),
        shape=(rows, int(batch.sentence_start[-1])),
    ).tocsr()


def sentence_weights(
    scores: sparse.csr_array, sentences: int | None
) -> sparse.csr_array:
    """Return rows that sum to 1 (Eq. 2), on the most relevant sentences only."""
    if sentences is not None:
        scores = _most_relevant(scores, sentences)
    total = np.add.reduceat(scores.data, scores.indptr[:-1]) if scores.nnz else 0
    scale = np.repeat(1 / total, np.diff(scores.indptr)) if scores.nnz else 1
    return sparse.csr_array(
        (scores.data * scale, scores.indices, scores.indptr), shape=scores.shape
    )


def _most_relevant(scores: sparse.csr_array, sentences: int) -> sparse.csr_array:
    """Keep the best sentences of each row; ties go to the earlier sentence."""
    keep = np.zeros(scores.nnz, dtype=bool)
    for start, end in zip(scores.indptr[:-1], scores.indptr[1:], strict=True):
        order = np.lexsort(
            (scores.indices[start:end], -scores.data[start:end].astype(np.float32))
        )
        keep[start + order[:sentences]] = True
    sizes = np.add.reduceat(keep, scores.indptr[:-1]) if len(keep) else []
    return sparse.csr_array(
        (
            scores.data[keep],
            scores.indices[keep],
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int32)]),
        ),
        shape=scores.shape,
    )
