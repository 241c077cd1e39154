"""Candidate pairs: the articles and stories that share a theme keyword."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.themes.stories import Themes
from ustory.window.unassigned import Batch


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs sorted by (article, story), and the keyword hits they are made of."""

    article: Indices
    """(pairs,) position in the batch."""
    story: Indices
    """(pairs,) position in the themes."""
    hit_pair: Indices
    """(hits,) which pair a hit is of."""
    hit_entry: Indices
    """(hits,) which term entry of the batch was hit."""
    hit_weight: Vector
    """(hits,) importance w_k of the keyword."""
    hit_share: Vector
    """(hits,) P(k | C, K_C)."""

    def __len__(self) -> int:
        return len(self.article)


def candidate_pairs(batch: Batch, themes: Themes, vocabulary: int) -> Pairs:
    """Return all pairs that share a keyword, found through an inverted index."""
    cells = np.flatnonzero(themes.terms.ravel() >= 0)  # keywords of all themes
    terms = themes.terms.ravel()[cells]
    order = np.argsort(terms, kind="stable")
    cells, terms = cells[order], terms[order]
    uses = np.bincount(terms, minlength=vocabulary)
    first = np.cumsum(uses) - uses
    entry = np.flatnonzero(uses[batch.terms])
    repeats = uses[batch.terms[entry]]
    ramp = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    cell = cells[np.repeat(first[batch.terms[entry]], repeats) + ramp]
    return _pairs(batch, themes, np.repeat(entry, repeats), cell)


def own_pairs(batch: Batch, themes: Themes, story: Indices, vocabulary: int) -> Pairs:
    """Return only the pairs of article i with story `story[i]`."""
    pairs = candidate_pairs(batch, themes, vocabulary)
    return restrict(pairs, pairs.story == story[pairs.article])


def restrict(pairs: Pairs, keep: Indices) -> Pairs:
    """Return the pairs marked in `keep`."""
    number = np.cumsum(keep) - 1
    hits = keep[pairs.hit_pair]
    return Pairs(
        pairs.article[keep],
        pairs.story[keep],
        number[pairs.hit_pair[hits]].astype(np.int32),
        pairs.hit_entry[hits],
        pairs.hit_weight[hits],
        pairs.hit_share[hits],
    )


def _pairs(batch: Batch, themes: Themes, entry: Indices, cell: Indices) -> Pairs:
    stories = len(themes)
    key = batch.article[entry].astype(np.int64) * stories + cell // themes.terms.shape[1]
    seen = np.zeros(len(batch) * stories, dtype=bool)
    seen[key] = True
    pairs = np.flatnonzero(seen)
    number = np.cumsum(seen, dtype=np.int32) - 1
    return Pairs(
        (pairs // stories).astype(np.int32),
        (pairs % stories).astype(np.int32),
        number[key],
        entry,
        themes.weights.ravel()[cell],
        themes.share.ravel()[cell],
    )
