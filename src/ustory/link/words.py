"""Word evidence: cosines of new articles with the window, body and lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Counts, Indices, Mask, Matrix, Vector
from ustory.link.article import TITLE, LinkedArticle
from ustory.link.gaps import NODES, SURE, VAGUE
from ustory.link.scan import add_cosines, count_gaps, near_rows, postings

FLOOR = 0.02
"""Word cosine below which two articles are no candidates for a link."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Weighted terms of many articles, one after the other, each of unit length."""

    start: Indices
    terms: Indices
    values: Matrix

    @classmethod
    def of(cls, parts: Sequence[Indices], weights: Sequence[Vector]) -> Rows:
        """Return unit rows; one without weight stays zero."""
        sizes = [len(part) for part in parts]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        values = np.concatenate(weights) if weights else np.zeros(0)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        lengths = np.sqrt(np.bincount(owner, values * values, len(sizes)))
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        terms = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        scaled = (values * scale[owner]).astype(np.float32)
        return cls(start, terms.astype(np.int32), scaled)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of a new article and an older one, or one of the same slide."""

    newer: Indices
    """Row in the window, ascending."""
    older: Indices
    """Row in the window, below `newer`."""
    body: Vector
    """Cosine of all their terms."""
    lead: Vector
    """Cosine of the words of their titles and leads."""
    sure: Vector
    vague: Vector
    """Gaps of all new pairs, as `Gaps` counts them."""

    def only(self, keep: Mask) -> Candidates:
        """Return the pairs marked in `keep`; the gaps are of all, as before."""
        return replace(
            self,
            newer=self.newer[keep],
            older=self.older[keep],
            body=self.body[keep],
            lead=self.lead[keep],
        )


def candidates(
    articles: Sequence[LinkedArticle], new: int, idf: Vector, unit: float
) -> Candidates:
    """Return the pairs of the `new` last articles that have words in common.

    Weights are (1 + ln tf) · idf, those of terms in the title doubled. `unit` is
    the time between two nodes of `Gaps`, in days.
    """
    body, lead = body_rows(articles, idf), lead_rows(articles, idf)
    body_index = postings(body.start, body.terms, body.values, len(idf))
    lead_index = postings(lead.start, lead.terms, lead.values, len(idf))
    day = np.array([article.day for article in articles])
    sure, vague = np.zeros(NODES), np.zeros(NODES)
    found = np.empty(len(articles), dtype=np.int64)
    parts = []
    for row in range(len(articles) - new, len(articles)):
        near, early = np.zeros(row), np.zeros(row)
        add_cosines(row, body.start, body.terms, body.values, body_index, near)
        count_gaps(row, near, day, unit, (SURE, *VAGUE), sure, vague)
        kept = found[: near_rows(row, near, FLOOR, found)].copy()
        if len(kept):
            add_cosines(row, lead.start, lead.terms, lead.values, lead_index, early)
            parts.append((np.full(len(kept), row), kept, near[kept], early[kept]))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    empty = np.zeros(0, dtype=np.int64)
    newer, older, near, early = columns or [empty, empty, np.zeros(0), np.zeros(0)]
    return Candidates(newer, older, near, early, sure, vague)


def body_rows(articles: Sequence[LinkedArticle], idf: Vector) -> Rows:
    """Return all terms of each article, weighted."""
    weights = [
        _weights(a.tf) * idf[a.terms] * np.where(a.in_title, TITLE, 1.0)
        for a in articles
    ]
    return Rows.of([a.terms for a in articles], weights)


def lead_rows(articles: Sequence[LinkedArticle], idf: Vector) -> Rows:
    """Return the words of each article's title and lead, weighted."""
    parts = [a.terms[a.lead] for a in articles]
    weights = [
        _weights(a.lead_tf) * idf[part] for a, part in zip(articles, parts, strict=True)
    ]
    return Rows.of(parts, weights)


def _weights(tf: Counts) -> Vector:
    return 1.0 + np.log(tf.astype(np.float64))
