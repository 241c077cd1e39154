"""Thematic similarity and the confidence of an assignment (Def 5.1, Eq. 4 and 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Indices, Mask, Matrix, Vector
from ustory.paper.assignment.pairs import CandidatePairs
from ustory.paper.assignment.similarity_scan import (
    PairHits,
    pair_cosines,
    sum_divergence,
)
from ustory.paper.embedding.article import unit_rows
from ustory.paper.embedding.story import Embedder
from ustory.window.unassigned import Batch

TIE = 1e-6
"""Similarities closer than this are equal: the older story wins, γ is met."""


def threshold(stories: int, temperature: float) -> float:
    """Confidence an article needs to join one of `stories` (Sec. 5.3).

        γ = 1 − (1 − 1/n)^T,  n = max(|C|, 2)

    1/n is what a blind guess among the stories would score; T asks for
    better odds than that. A lone story competes with an empty one.

    >>> threshold(2, temperature=2.0)
    0.75
    """
    share = 1.0 / max(stories, 2)
    return -math.expm1(temperature * math.log1p(-share))


def log_denominator(excess: Vector, stories: int) -> Vector:
    """Return the log of the softmax denominator of Eq. 5 for each article.

    `excess` is Σ (e^(T·sim) − 1) over the stories that share a keyword with
    it; every one of the n = max(|C|, 2) stories adds e⁰ besides.
    """
    return np.log(excess + max(stories, 2))


def is_assigned(similarity: Vector, log_odds: Vector) -> Mask:
    """Return which articles join their best story: sim > 0 and conf ≥ γ."""
    return (similarity > 0) & (log_odds >= -TIE)


def _divergence(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return the Jensen-Shannon divergence of each pair, base 2, in [0, 1]."""
    total = np.ones(pairs)
    sum_divergence(p, q, pair, total)
    return np.clip(total / 2, 0.0, 1.0)


def jensen_shannon(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − JSD(P_a ‖ P_C).

    >>> four_of_ten = (np.full(4, 0.25), np.full(4, 0.1), np.zeros(4, int), 1)
    >>> jensen_shannon(*four_of_ten).round(2).tolist()
    [0.6]
    """
    return 1 - _divergence(p, q, pair, pairs)


def jensen_shannon_root(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − √JSD(P_a ‖ P_C), a metric's complement.

    >>> four_of_ten = (np.full(4, 0.25), np.full(4, 0.1), np.zeros(4, int), 1)
    >>> jensen_shannon_root(*four_of_ten).round(2).tolist()
    [0.37]
    """
    return 1 - np.sqrt(_divergence(p, q, pair, pairs))


def jensen_shannon_root_e(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − √JSD in base e, as the authors' script has it: never below 0.167.

    >>> four_of_ten = (np.full(4, 0.25), np.full(4, 0.1), np.zeros(4, int), 1)
    >>> jensen_shannon_root_e(*four_of_ten).round(2).tolist()
    [0.48]
    """
    return 1 - np.sqrt(_divergence(p, q, pair, pairs) * math.log(2))


def kullback_leibler(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return exp(−KL(P_a ‖ P_C)); finite, for a theme keyword is in its story."""
    return np.exp(-np.maximum(np.bincount(pair, p * np.log(p / q), pairs), 0))


def earth_mover(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − earth mover's distance with 0/1 ground distance: Σ min(P, Q)."""
    return np.minimum(np.bincount(pair, np.minimum(p, q), pairs), 1)


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

    def of_pairs(self, batch: Batch, pairs: CandidatePairs) -> Indices:
        """Return the row of each pair: its story, seen from its article's pane."""
        return np.asarray(self.first_rows(batch)[pairs.article] + pairs.story)


def thematic_similarities(
    batch: Batch, pairs: CandidatePairs, stories: SeenFrom, embedder: Embedder
) -> Similarities:
    """Return the similarity of each pair."""
    cosine = np.maximum(_cosines(batch, pairs, stories, embedder), 0.0)
    divergence = _divergences(pairs, embedder)
    return Similarities(cosine, divergence, cosine * divergence)


def _cosines(
    batch: Batch, pairs: CandidatePairs, stories: SeenFrom, embedder: Embedder
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


def _divergences(pairs: CandidatePairs, embedder: Embedder) -> Vector:
    tf = pairs.tf
    total = np.bincount(pairs.hit, tf, len(pairs))
    compare = registry.find("divergences", embedder.settings.divergence)
    found: Vector = compare(tf / total[pairs.hit], pairs.share, pairs.hit, len(pairs))
    return found
