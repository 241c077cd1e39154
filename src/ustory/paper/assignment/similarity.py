"""Thematic similarity of articles and stories (Def 5), pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Indices, Matrix, Vector
from ustory.paper.assignment.pairs import Pairs
from ustory.paper.assignment.similarity_scan import PairHits, pair_cosines
from ustory.paper.embedding.strategies import Embedder
from ustory.paper.embedding.unit import unit_rows
from ustory.window.batch import Batch


@dataclass(frozen=True, slots=True)
class Similarities:
    """sim_theme(a, C) of each pair, with its two parts (Def 5.1, Eq. 4)."""

    cosine: Vector
    """max(0, cos(E_a|C, E_C|a))."""
    divergence: Vector
    total: Vector
    """cosine · divergence."""


@dataclass(frozen=True, slots=True)
class SeenFrom:
    """E_C|a of all stories as seen from each pane, as unit rows."""

    panes: Indices
    """Ascending."""
    stories: int
    rows: Matrix
    """(panes · stories, dim), all stories of one pane after the other."""

    @classmethod
    def of(cls, representations: Mapping[int, Matrix]) -> SeenFrom:
        """Return the representations, given by pane, as one table."""
        panes = sorted(representations)
        rows = [unit_rows(representations[pane]) for pane in panes]
        return cls(np.array(panes), len(rows[0]), np.concatenate(rows))

    def first_rows(self, batch: Batch) -> Indices:
        """Return the first row of each article's pane: that of the oldest story."""
        return np.searchsorted(self.panes, batch.pane) * self.stories

    def of_pairs(self, batch: Batch, pairs: Pairs) -> Indices:
        """Return the row of each pair: its story, seen from its article's pane."""
        return np.asarray(self.first_rows(batch)[pairs.article] + pairs.story)


def thematic_similarities(
    batch: Batch, pairs: Pairs, stories: SeenFrom, embedder: Embedder
) -> Similarities:
    """Return the similarity of each pair."""
    cosine = np.maximum(_cosines(batch, pairs, stories, embedder), 0.0)
    divergence = _divergences(pairs, embedder)
    return Similarities(cosine, divergence, cosine * divergence)


def _cosines(
    batch: Batch, pairs: Pairs, stories: SeenFrom, embedder: Embedder
) -> Vector:
    """Return cos(E_a|C, E_C|a) of each pair."""
    rows = stories.of_pairs(batch, pairs)
    if not embedder.is_plain_sum:
        ours = unit_rows(embedder.represent(batch, pairs.hits))
        products = np.einsum("ij,ij->i", ours, stories.rows[rows])
        return np.asarray(products, dtype=np.float64)
    out = np.empty(len(pairs))
    hits = PairHits(pairs.article, rows, pairs.hit_start, pairs.keyword, pairs.weight)
    pair_cosines(batch.buffers, pairs.keywords, hits, stories.rows, out)
    return out


def _divergences(pairs: Pairs, embedder: Embedder) -> Vector:
    tf = pairs.tf
    total = np.bincount(pairs.hit, tf, len(pairs))
    compare = registry.find("divergences", embedder.settings.divergence)
    found: Vector = compare(tf / total[pairs.hit], pairs.share, pairs.hit, len(pairs))
    return found
