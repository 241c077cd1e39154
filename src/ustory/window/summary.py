"""Pane-based story summaries: all that is kept of assigned articles (Def 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.window.adding import add_up
from ustory.window.unassigned import UnassignedArticle


@dataclass(frozen=True, slots=True)
class PaneSummary:
    """The triplet of one story pane (Def 5.3, Eq. 6): ⟨|p|, tf(·, p), Σ E_a|C⟩."""

    articles: int
    terms: Indices
    """Distinct term numbers."""
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


def _added(terms: list[Indices], tf: list[Counts]) -> tuple[Indices, Counts]:
    """Add up term frequencies given as parallel lists of terms and counts."""
    distinct, where = np.unique(np.concatenate(terms), return_inverse=True)
    total = np.bincount(where, np.concatenate(tf), len(distinct))
    return distinct, total.astype(np.int32)


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

    def joined_by(self, other: StorySummary) -> StorySummary:
        """Return the story with the articles of another summary."""
        story = self
        for pane, summary in other.panes.items():
            story = story.add(pane, summary)
        return story

    def since(self, pane: int) -> StorySummary:
        """Return the story without what lies before `pane`."""
        if not self.panes or next(iter(self.panes)) >= pane:
            return self
        return replace(self, panes={p: s for p, s in self.panes.items() if p >= pane})

    def renumber(self, moved: Indices) -> StorySummary:
        """Return the same story under another vocabulary."""
        panes = {p: replace(s, terms=moved[s.terms]) for p, s in self.panes.items()}
        return replace(self, panes=panes)


def summarise(
    groups: Sequence[Sequence[UnassignedArticle]], vocabulary: int
) -> list[StorySummary]:
    """Return each group of articles as a story without a name and without vectors.

    It is good for themes; `seen_as` gives it the representations.
    """
    panes = [sorted({article.pane for article in group}) for group in groups]
    parts = [
        [article for article in group if article.pane == pane]
        for group, own in zip(groups, panes, strict=True)
        for pane in own
    ]
    ordered = [article for part in parts for article in part]
    sums = add_up(
        [article.terms for article in ordered],
        [article.tf for article in ordered],
        [len(part) for part in parts],
        vocabulary,
    )
    summaries = iter(
        PaneSummary(len(part), sums.terms[where], sums.tf[where], np.zeros(0))
        for part, where in ((part, sums.group(i)) for i, part in enumerate(parts))
    )
    return [
        StorySummary("", {pane: next(summaries) for pane in own}, len(group))
        for group, own in zip(groups, panes, strict=True)
    ]


def seen_as(story: StorySummary, panes: Indices, vectors: Matrix) -> StorySummary:
    """Return a story whose articles, of these panes, are seen as `vectors`."""
    sums = {
        pane: vectors[panes == pane].sum(axis=0, dtype=np.float64)
        for pane in story.panes
    }
    summaries = {p: replace(s, vectors=sums[p]) for p, s in story.panes.items()}
    return replace(story, panes=summaries)
