"""Pairs of article and story that share keywords, and what is picked from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Counts, Indices, Mask, Vector
from ustory.core.kernels import njit
from ustory.paper.assignment.similarity_scan import (
    PairColumns,
    Uses,
    fill_pairs,
    find_keywords,
    own_hits,
)
from ustory.paper.embedding.article import Hits
from ustory.paper.themes.stories import Themes
from ustory.window.raw_buffers import SCRATCH
from ustory.window.unassigned import Batch

# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202


class Keywords(NamedTuple):
    """The terms of each article that are keywords of some theme, sorted by article."""

    start: Indices
    """(articles + 1,) where each article's begin."""
    entry: Indices
    """Which term entry of its article each is, ascending within an article."""
    term: Indices
    number: Indices
    """Its place among all keywords of the themes."""
    tf: Counts
    """Appearances in the article."""
    cell: Indices
    """Where the sentences that have it begin, among the article's cells."""


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Pairs sorted by (article, story), and their keyword hits, sorted by pair."""

    article: Indices
    """(pairs,) position in the batch."""
    story: Indices
    """(pairs,) position in the themes."""
    hit: Indices
    """(hits,) which pair a hit is of."""
    keyword: Indices
    """(hits,) which of the keywords was hit."""
    weight: Vector
    """(hits,) importance w_k of the keyword."""
    share: Vector
    """(hits,) P(k | C, K_C)."""
    keywords: Keywords

    def __len__(self) -> int:
        return len(self.article)

    @property
    def hit_start(self) -> Indices:
        """(pairs + 1,) where each pair's hits begin."""
        sizes = np.bincount(self.hit, minlength=len(self))
        return np.concatenate([[0], np.cumsum(sizes)])

    @property
    def tf(self) -> Counts:
        """(hits,) appearances of the keyword in the article."""
        return self.keywords.tf[self.keyword]

    @property
    def hits(self) -> Hits:
        """The hits as embeddings need them, a row for each pair."""
        entry = self.keywords.entry[self.keyword]
        return Hits(self.article, self.hit_start, entry, self.weight)

    def only(self, keep: Mask) -> CandidatePairs:
        """Return the pairs marked in `keep`."""
        number = np.cumsum(keep, dtype=np.int32) - 1
        hits = np.flatnonzero(keep[self.hit])
        return CandidatePairs(
            self.article[keep],
            self.story[keep],
            number[self.hit[hits]],
            self.keyword[hits],
            self.weight[hits],
            self.share[hits],
            self.keywords,
        )


@dataclass(frozen=True, slots=True)
class ThemeIndex:
    """Inverted index of theme keywords: which themes use a term."""

    is_keyword: NDArray[np.uint8]
    """A bit for each term of the vocabulary: whether any theme has it."""
    terms: Indices
    """The keywords of all themes, sorted."""
    start: Indices
    """(keywords + 1,) where the uses of each begin in `cells`."""
    cells: Indices
    """(uses,) places in the flattened themes, sorted by term."""


def theme_index(themes: Themes, vocabulary: int) -> ThemeIndex:
    """Return the inverted index of some themes."""
    flat = themes.terms.ravel()
    cells = np.flatnonzero(flat >= 0)
    cells = cells[np.argsort(flat[cells], kind="stable")]
    terms, first = np.unique(flat[cells], return_index=True)
    bits = np.zeros(vocabulary // 8 + 1, dtype=np.uint8)
    np.bitwise_or.at(bits, terms >> 3, (1 << (terms & 7)).astype(np.uint8))
    return ThemeIndex(
        bits,
        terms,
        np.append(first, len(cells)).astype(np.int32),
        cells.astype(np.int32),
    )


def candidate_pairs(batch: Batch, themes: Themes, index: ThemeIndex) -> CandidatePairs:
    """Return all pairs of a batch and stories that share a keyword."""
    keywords = find_all(batch, index)
    first = index.start[keywords.number]
    uses = index.start[keywords.number + 1] - first
    hits = int(uses.sum())
    most = min(hits, len(batch) * len(themes))
    sizes = (most, most, hits, hits, hits)
    out = PairColumns(*(np.empty(size, dtype=np.int32) for size in sizes))
    stories, width = themes.terms.shape
    pairs = fill_pairs(
        keywords.start, Uses(uses, first, index.cells), stories, width, out
    )
    return CandidatePairs(
        out.article[:pairs],
        out.story[:pairs],
        out.hit,
        out.keyword,
        themes.weights.ravel()[out.cell],
        themes.share.ravel()[out.cell],
        keywords,
    )


def own_pairs(
    batch: Batch, themes: Themes, story: Indices, index: ThemeIndex
) -> CandidatePairs:
    """Return only the pairs of article i with story `story[i]`, none with -1."""
    return pairs_with(find_all(batch, index), themes, story)


def every_own_pair(pairs: CandidatePairs, story: Indices) -> CandidatePairs:
    """Return own pairs and, of the other articles, pairs without a shared keyword."""
    return replace(
        pairs,
        article=np.arange(len(story), dtype=np.int32),
        story=story.astype(np.int32),
        hit=pairs.article[pairs.hit],
    )


def pairs_with(keywords: Keywords, themes: Themes, story: Indices) -> CandidatePairs:
    """Return the pairs of article i, whose keywords are known, with `story[i]`."""
    mine = np.diff(keywords.start)[story >= 0]
    most = int(np.minimum(mine, themes.terms.shape[1]).sum())
    sizes = (len(mine), 0, most, most, most)
    out = PairColumns(*(np.empty(size, dtype=np.int32) for size in sizes))
    pairs, hits = own_hits(keywords, story, themes.terms, out)
    used = out.cell[:hits]
    return CandidatePairs(
        out.article[:pairs],
        story[out.article[:pairs]].astype(np.int32),
        out.hit[:hits],
        out.keyword[:hits],
        themes.weights.ravel()[used],
        themes.share.ravel()[used],
        keywords,
    )


def find_all(batch: Batch, index: ThemeIndex) -> Keywords:
    """Return the terms of a batch that are keywords of some theme."""
    most = int(batch.buffers[:, 0].sum())
    start = np.zeros(len(batch) + 1, dtype=np.int64)
    out = Keywords(start, *(SCRATCH.ints(f"keywords {i}", most) for i in range(5)))
    end = find_keywords(batch.buffers, index.is_keyword, index.terms, out)
    return Keywords(start, *(column[:end].copy() for column in out[1:]))


# Arrays are typed where these are called: paper/seeding/kmeans.py.


@njit(cache=True, nogil=True)
def pick_centres(distances, draws, tie, chosen):
    """Choose centres: each the best of a few that are far from those before.

    `draws` (k, tries) are uniform random numbers. Stops early when every row is a
    copy of a centre.
    """
    last = len(distances) - 1
    tries = draws.shape[1]
    sums = np.empty(tries)
    places = np.empty(tries, dtype=np.int64)
    chosen[0] = min(np.int64(draws[0, 0] * len(distances)), last)
    nearest = distances[chosen[0]].copy()
    reach = np.empty(len(distances))
    for i in range(1, len(draws)):
        total = 0.0
        for row in range(len(nearest)):
            total += nearest[row]
            reach[row] = total
        if total <= 0.0:
            return
        for t in range(tries):
            aim = np.searchsorted(reach, draws[i, t] * total, side="right")
            places[t] = min(aim, last)
            sums[t] = _sum_nearest(distances[places[t]], nearest)
        lowest = sums.min()
        best = 0
        while sums[best] > lowest + tie:
            best += 1
        chosen[i] = places[best]
        theirs = distances[places[best]]
        for row in range(len(nearest)):
            nearest[row] = min(nearest[row], theirs[row])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nnan", "nsz"})
def _sum_nearest(one, other):
    total = 0.0
    for i in range(len(one)):
        total += min(one[i], other[i])
    return total


@njit(cache=True, nogil=True)
def nearest_centres(distances, chosen, tie, label):
    """Label each row with the first centre within `tie` of its nearest.

    Returns the sum of the distances to the nearest centres.
    """
    total = 0.0
    lowest = distances[chosen[0]].copy()
    for i in range(1, len(chosen)):
        theirs = distances[chosen[i]]
        for row in range(len(lowest)):
            lowest[row] = min(lowest[row], theirs[row])
    label[:] = -1
    for i in range(len(chosen)):
        theirs = distances[chosen[i]]
        for row in range(len(lowest)):
            if label[row] < 0 and theirs[row] <= lowest[row] + tie:
                label[row] = i
    for row in range(len(lowest)):
        total += lowest[row]
    return total
