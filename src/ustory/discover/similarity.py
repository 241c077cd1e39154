"""Thematic similarity of articles and stories (Def 5), pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core import registry
from ustory.core.arrays import Indices, Matrix, Vector
from ustory.discover.pairs import Pairs
from ustory.embed.article import relevance
from ustory.embed.strategies import Embedder
from ustory.window.unassigned import Batch

_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Similarities:
    """sim_theme(a, C) of each pair, with its two parts (Def 5.1, Eq. 4)."""

    cosine: Vector
    divergence: Vector
    relevance: sparse.csr_array
    """(pairs, sentences) theme relevance, for explanations."""

    @property
    def total(self) -> Vector:
        """Return max(0, cos) · divergence of each pair."""
        return self.cosine * self.divergence


def thematic_similarities(
    batch: Batch,
    pairs: Pairs,
    stories: Mapping[int, Matrix],
    embedder: Embedder,
) -> Similarities:
    """Return the similarity of each pair.

    `stories` maps the pane of an article to E_C|a of all stories at that time.
    """
    scores = relevance(
        batch, pairs.hit_pair, pairs.hit_entry, pairs.hit_weight, len(pairs)
    )
    tf = batch.tf[pairs.hit_entry]
    share = tf / np.bincount(pairs.hit_pair, tf, len(pairs))[pairs.hit_pair]
    divergence = registry.find("divergences", embedder.settings.divergence)(
        share, pairs.hit_share, pairs.hit_pair, len(pairs)
    )
    cosine = np.zeros(len(pairs))
    for start in range(0, len(pairs), _CHUNK):
        part = slice(start, start + _CHUNK)
        vectors = embedder.represent(batch, pairs.article[part], scores[part])
        theirs = _story_rows(batch, pairs.article[part], pairs.story[part], stories)
        cosine[part] = row_cosines(vectors, theirs)
    return Similarities(np.maximum(cosine, 0.0), divergence, scores)


def row_cosines(left: Matrix, right: Matrix) -> Vector:
    """Return the cosine of each row of `left` with the same row of `right`.

    A zero vector has cosine 0.
    """
    product = np.einsum("ij,ij->i", left, right).astype(np.float64)
    norms = np.sqrt(
        np.einsum("ij,ij->i", left, left).astype(np.float64)
        * np.einsum("ij,ij->i", right, right).astype(np.float64)
    )
    return np.divide(product, norms, out=np.zeros(len(product)), where=norms > 0)


def _story_rows(
    batch: Batch, article: Indices, story: Indices, stories: Mapping[int, Matrix]
) -> Matrix:
    panes = batch.pane[article]
    rows = np.empty((len(article), next(iter(stories.values())).shape[1]), np.float32)
    for pane in np.unique(panes).tolist():
        here = panes == pane
        rows[here] = stories[pane][story[here]]
    return rows
