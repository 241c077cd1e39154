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

_CHUNK = 2048
"""Pairs embedded at a time: their vectors stay in the processor's cache."""


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
    scores = pair_relevance(batch, pairs)
    cosine = np.zeros(len(pairs))
    for start in range(0, len(pairs), _CHUNK):
        part = slice(start, start + _CHUNK)
        ours = embedder.represent(batch, pairs.article[part], scores[part])
        theirs = _story_rows(batch, pairs.article[part], pairs.story[part], stories)
        cosine[part] = row_cosines(ours, theirs)
    cosine = np.maximum(cosine, 0.0)
    divergence = _divergences(batch, pairs, embedder)
    return Similarities(cosine, divergence, cosine * divergence)


def pair_relevance(batch: Batch, pairs: Pairs) -> sparse.csr_array:
    """Return the theme relevance of each sentence, one row per pair."""
    return relevance(batch, pairs.hit, pairs.entry, pairs.weight, len(pairs))


def _divergences(batch: Batch, pairs: Pairs, embedder: Embedder) -> Vector:
    tf = batch.tf[pairs.entry]
    total = np.bincount(pairs.hit, tf, len(pairs))
    compare = registry.find("divergences", embedder.settings.divergence)
    found: Vector = compare(tf / total[pairs.hit], pairs.share, pairs.hit, len(pairs))
    return found


def row_cosines(left: Matrix, right: Matrix) -> Vector:
    """Return the cosine of each row of `left` with the same row of `right`.

    A zero vector has cosine 0.
    """
    product = np.einsum("ij,ij->i", left, right).astype(np.float64)
    squares = np.einsum("ij,ij->i", left, left).astype(np.float64)
    squares *= np.einsum("ij,ij->i", right, right)
    norms = np.sqrt(squares)
    return np.divide(product, norms, out=np.zeros(len(product)), where=norms > 0)


def _story_rows(
    batch: Batch, article: Indices, story: Indices, stories: Mapping[int, Matrix]
) -> Matrix:
    panes = batch.pane[article]
    first = np.flatnonzero(np.diff(panes, prepend=-1))
    parts = [
        stories[int(panes[start])][story[start:end]]
        for start, end in zip(first, [*first[1:], len(panes)], strict=True)
    ]
    return np.concatenate(parts)
