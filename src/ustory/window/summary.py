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

    def __add__(self, other: PaneSummary) -> PaneSummary:
        """Add up: summaries are additive."""
        terms = np.concatenate([self.terms, other.terms])
        tf = np.concatenate([self.tf, other.tf])
        distinct, where = np.unique(terms, return_inverse=True)
        return PaneSummary(
            self.articles + other.articles,
            distinct,
            np.bincount(where, tf).astype(np.int32),
            self.vectors + other.vectors,
        )


@dataclass(frozen=True, slots=True)
class StorySummary:
    """PSS_C: a pane summary for each pane in which the story has articles."""

    story: str
    panes: Mapping[int, PaneSummary] = field(default_factory=dict)
    """By pane number, ascending."""
    total: int = 0
    """Articles it ever had."""

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
        return replace(self, panes=_renumber(self.panes, moved))


def _renumber(
    panes: Mapping[int, PaneSummary], moved: Indices
) -> dict[int, PaneSummary]:
    # numbers move down in order, so sorted terms stay sorted
    return {p: replace(s, terms=moved[s.terms]) for p, s in panes.items()}


def summarise(articles: Sequence[UnassignedArticle], vectors: Matrix) -> PaneSummary:
    """Return the summary of some articles of one pane, row i seen as `vectors[i]`."""
    terms = np.concatenate([article.terms for article in articles])
    tf = np.concatenate([article.tf for article in articles])
    distinct, where = np.unique(terms, return_inverse=True)
    total = np.bincount(where, tf, len(distinct)).astype(np.int32)
    return PaneSummary(
        len(articles), distinct, total, vectors.sum(axis=0, dtype=np.float64)
    )
