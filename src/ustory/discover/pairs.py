"""Candidate pairs: the articles and stories that share a theme keyword."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.themes.stories import Themes
from ustory.window.unassigned import Batch


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs sorted by (article, story), and their keyword hits, sorted by pair."""

    article: Indices
    """(pairs,) position in the batch."""
    story: Indices
    """(pairs,) position in the themes."""
    hit: Indices
    """(hits,) which pair a hit is of."""
    entry: Indices
    """(hits,) which term entry of the batch was hit."""
    weight: Vector
    """(hits,) importance w_k of the keyword."""
    share: Vector
    """(hits,) P(k | C, K_C)."""

    def __len__(self) -> int:
        return len(self.article)

    def only(self, keep: Mask) -> Pairs:
        """Return the pairs marked in `keep`."""
        number = np.cumsum(keep, dtype=np.int32) - 1
        hits = np.flatnonzero(keep[self.hit])
        return Pairs(
            self.article[keep],
            self.story[keep],
            number[self.hit[hits]],
            self.entry[hits],
            self.weight[hits],
            self.share[hits],
        )


def candidate_pairs(batch: Batch, themes: Themes, index: ThemeIndex) -> Pairs:
    """Return all pairs of a batch and stories that share a keyword."""
    entry = np.flatnonzero(index.uses[batch.terms])
    terms = batch.terms[entry]
    uses = index.uses[terms]
    ramp = np.arange(int(uses.sum())) - np.repeat(np.cumsum(uses) - uses, uses)
    cell = index.cells[np.repeat(index.first[terms], uses) + ramp]
    return _pairs(batch, themes, np.repeat(entry, uses), cell)


@dataclass(frozen=True, slots=True)
class ThemeIndex:
    """Inverted index of theme keywords: which themes use a term."""

    uses: Indices
    """(vocabulary,) how many themes have the term."""
    first: Indices
    """(vocabulary,) where its uses begin in `cells`."""
    cells: Indices
    """(uses,) places in the flattened themes, sorted by term."""


def theme_index(themes: Themes, vocabulary: int) -> ThemeIndex:
    """Return the inverted index of some themes."""
    terms = themes.terms.ravel()
    cells = np.flatnonzero(terms >= 0)
    cells = cells[np.argsort(terms[cells], kind="stable")]
    uses = np.bincount(terms[cells], minlength=vocabulary).astype(np.int32)
    return ThemeIndex(uses, np.cumsum(uses, dtype=np.int32) - uses, cells)


def own_pairs(batch: Batch, themes: Themes, story: Indices, index: ThemeIndex) -> Pairs:
    """Return only the pairs of article i with story `story[i]`."""
    pairs = candidate_pairs(batch, themes, index)
    return pairs.only(pairs.story == story[pairs.article])


def _pairs(batch: Batch, themes: Themes, entry: Indices, cell: Indices) -> Pairs:
    stories = len(themes)
    key = batch.article[entry].astype(np.int64) * stories
    key += cell // themes.terms.shape[1]
    seen = np.zeros(len(batch) * stories, dtype=bool)
    seen[key] = True
    pairs = np.flatnonzero(seen)
    number = np.cumsum(seen, dtype=np.int32) - 1
    hit = number[key]
    order = _stable_order(hit, len(pairs))
    cell = cell[order]
    return Pairs(
        (pairs // stories).astype(np.int32),
        (pairs % stories).astype(np.int32),
        hit[order],
        entry[order],
        themes.weights.ravel()[cell],
        themes.share.ravel()[cell],
    )


def _stable_order(keys: Indices, limit: int) -> Indices:
    """Return the order that sorts small keys: a counting sort, by transposition."""
    places = np.arange(len(keys), dtype=np.int32)
    columns = sparse.csc_array(
        (places, keys, np.arange(len(keys) + 1, dtype=np.int32)),
        shape=(limit, len(keys)),
    )
    return columns.tocsr().data
