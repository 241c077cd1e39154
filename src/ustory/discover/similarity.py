"""Thematic similarity of articles and stories (Def 5), pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core import registry
from ustory.core.arrays import Matrix, Vector
from ustory.discover.pairs import Pairs
from ustory.discover.scan import pair_cosines
from ustory.embed.article import relevance
from ustory.embed.strategies import Embedder
from ustory.embed.unit import unit_rows
from ustory.window.unassigned import Batch


@dataclass(frozen=True, slots=True)
class Similarities:
    """sim_theme(a, C) of each pair, with its two parts (Def 5.1, Eq. 4)."""

    cosine: Vector
    """max(0, cos(E_a|C, E_C|a))."""
    divergence: Vector
    total: Vector
    """cosine · divergence."""


def thematic_similarities(
    batch: Batch, pairs: Pairs, stories: Mapping[int, Matrix], embedder: Embedder
) -> Similarities:
    """Return the similarity of each pair.

    `stories` maps the pane of an article to E_C|a of all stories at that time.
    """
    cosine = np.maximum(_cosines(batch, pairs, stories, embedder), 0.0)
    divergence = _divergences(batch, pairs, embedder)
    return Similarities(cosine, divergence, cosine * divergence)


def _cosines(
    batch: Batch, pairs: Pairs, stories: Mapping[int, Matrix], embedder: Embedder
) -> Vector:
    """Return cos(E_a|C, E_C|a) of each pair."""
    panes = np.array(sorted(stories))
    rows = np.searchsorted(panes, batch.pane)[pairs.article] * len(stories[panes[0]])
    rows += pairs.story
    all_stories = np.concatenate([unit_rows(stories[pane]) for pane in panes.tolist()])
    if embedder.is_plain_sum:
        out = np.empty(len(pairs), dtype=np.float32)
        pair_cosines(
            (pairs.hit_start, pairs.entry),
            pairs.weight,
            (batch.cell_start, batch.cells),
            (batch.sentence, batch.count),
            batch.vectors,
            (all_stories, rows),
            out,
        )
        return out.astype(np.float64)
    scores = pair_relevance(batch, pairs)
    ours = unit_rows(embedder.represent(batch, pairs.article, scores))
    products = np.einsum("ij,ij->i", ours, all_stories[rows])
    return np.asarray(products, dtype=np.float64)


def pair_relevance(batch: Batch, pairs: Pairs) -> sparse.csr_array:
    """Return the theme relevance of each sentence, one row per pair."""
    return relevance(batch, pairs.hit, pairs.entry, pairs.weight, len(pairs))


def _divergences(batch: Batch, pairs: Pairs, embedder: Embedder) -> Vector:
    tf = batch.tf[pairs.entry]
    total = np.bincount(pairs.hit, tf, len(pairs))
    compare = registry.find("divergences", embedder.settings.divergence)
    found: Vector = compare(tf / total[pairs.hit], pairs.share, pairs.hit, len(pairs))
    return found
