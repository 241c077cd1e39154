"""Pane-based story summaries: all that is kept of assigned articles (Def 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.window.unassigned import UnassignedArticle


@dataclass(frozen=True, slots=True)
class PaneSummary:
    """The triplet of one story pane (Def 5.3, Eq. 6): ⟨|p|, tf(·, p), Σ E_a|C⟩."""

    articles: int
    terms: Indices
    """Sorted term numbers."""
    tf: Counts
    vectors: Vector
    """Sum of the thematic representations, frozen when they were assigned."""

    @property
    def length(self) -> int:
        """Term appearances in all its articles."""
        return int(self.tf.sum())

    def __add__(self, other: PaneSummary) -> PaneSummary:
        """Add up: summaries are additive."""
        terms, tf = _added([self.terms, other.terms], [self.tf, other.tf])
        return PaneSummary(
            self.articles + other.articles, terms, tf, self.vectors + other.vectors
        )


def summarise(articles: Sequence[UnassignedArticle], vectors: Matrix) -> PaneSummary:
    """Return the summary of some articles of one pane, row i seen as `vectors[i]`."""
    terms, tf = _added([a.terms for a in articles], [a.tf for a in articles])
    total = vectors.sum(axis=0, dtype=np.float64)
    return PaneSummary(len(articles), terms, tf, total)


def _added(terms: list[Indices], tf: list[Counts]) -> tuple[Indices, Counts]:
    """Add up term frequencies given as parallel lists of terms and counts."""
    joined, counts = np.concatenate(terms), np.concatenate(tf)
    order = np.argsort(joined)
    joined = joined[order]
    first = np.flatnonzero(np.diff(joined, prepend=-1))
    if not len(first):
        return joined, counts
    return joined[first], np.add.reduceat(counts[order], first)


@dataclass(frozen=True, slots=True)
class StorySummary:
    """PSS_C: a pane summary for each pane in which the story has articles."""

    story: str
    panes: Mapping[int, PaneSummary] = field(default_factory=dict)
    """By pane number, ascending."""
    total: int = 0
    """Articles it ever had."""

    @property
    def articles(self) -> int:
        """Articles it has in the window."""
        return sum(pane.articles for pane in self.panes.values())

    def add(self, pane: int, summary: PaneSummary) -> StorySummary:
        """Return the story with more articles in `pane`."""
        panes = dict(self.panes)
        panes[pane] = panes[pane] + summary if pane in panes else summary
        return replace(
            self,
            panes=dict(sorted(panes.items())),
            total=self.total + summary.articles,
        )

    def since(self, pane: int) -> StorySummary:
        """Return the story without what lies before `pane`."""
        if not self.panes or next(iter(self.panes)) >= pane:
            return self
        return replace(self, panes={p: s for p, s in self.panes.items() if p >= pane})

    def renumber(self, moved: Indices) -> StorySummary:
        """Return the same story under another vocabulary."""
        # numbers move down in order, so sorted terms stay sorted
        panes = {p: replace(s, terms=moved[s.terms]) for p, s in self.panes.items()}
        return replace(self, panes=panes)


def story_of(
    articles: Sequence[UnassignedArticle], vectors: Matrix, story: str = ""
) -> StorySummary:
    """Return the summary of a whole story from its articles."""
    summary = StorySummary(story)
    panes = np.array([article.pane for article in articles])
    for pane in np.unique(panes).tolist():
        here = np.flatnonzero(panes == pane)
        members = [articles[i] for i in here.tolist()]
        summary = summary.add(pane, summarise(members, vectors[here]))
    return summary
