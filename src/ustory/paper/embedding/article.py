"""Article representation: its sentences, the thematic ones first (Def 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.paper.embedding.embedding_scan import sum_relevance, sum_sentences
from ustory.window.batch import Batch
from ustory.window.raw_buffers import SENTENCES


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
