"""Candidate pairs: the articles and stories that share a theme keyword."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.discover.scan import fill_pairs
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

    @property
    def hit_start(self) -> Indices:
        """(pairs + 1,) where each pair's hits begin."""
        sizes = np.bincount(self.hit, minlength=len(self))
        return np.concatenate([[0], np.cumsum(sizes)])

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
    keyword = np.flatnonzero(index.is_keyword[batch.terms]).astype(np.int32)
    start = np.searchsorted(keyword, batch.entry_start)
    terms = batch.terms[keyword]
    uses = index.uses[terms]
    hits = int(uses.sum())
    most = min(hits, len(batch) * len(themes))
    out = tuple(np.empty(n, dtype=np.int32) for n in (most, most, hits, hits, hits))
    where = (uses, index.first[terms], index.cells, themes.terms.shape)
    pairs = fill_pairs(start, keyword, *where, out)
    article, story, hit, entry, cell = out
    return Pairs(
        article[:pairs],
        story[:pairs],
        hit,
        entry,
        themes.weights.ravel()[cell],
        themes.share.ravel()[cell],
    )


@dataclass(frozen=True, slots=True)
class ThemeIndex:
    """Inverted index of theme keywords: which themes use a term."""

    is_keyword: Mask
    """(vocabulary,) whether any theme has the term."""
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
    first = np.cumsum(uses, dtype=np.int32) - uses
    return ThemeIndex(uses > 0, uses, first, cells.astype(np.int32))


def own_pairs(batch: Batch, themes: Themes, story: Indices, index: ThemeIndex) -> Pairs:
    """Return only the pairs of article i with story `story[i]`."""
    pairs = candidate_pairs(batch, themes, index)
    return pairs.only(pairs.story == story[pairs.article])
