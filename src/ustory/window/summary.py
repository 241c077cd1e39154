"""Pane-based story summaries: all that is kept of assigned articles (Def 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.window.adding import TermSums, add_up
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
    length: int
    """Term appearances in all its articles."""


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

    def with_panes(self, panes: Mapping[int, PaneSummary], added: int) -> StorySummary:
        """Return the story with some panes replaced, `added` articles more."""
        every = dict(sorted({**self.panes, **panes}.items()))
        return replace(self, panes=every, total=self.total + added)

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
    return add_articles([StorySummary("") for _ in groups], groups, vocabulary)


def add_articles(
    stories: Sequence[StorySummary],
    groups: Sequence[Sequence[UnassignedArticle]],
    vocabulary: int,
) -> list[StorySummary]:
    """Return the stories with more articles: counts and terms add up, pane by pane.

    Sums of representations stay as they were: `seen_as` adds to them.
    """
    parts: list[tuple[PaneSummary | None, list[UnassignedArticle]]] = []
    panes = [_by_pane(group) for group in groups]
    for story, split in zip(stories, panes, strict=True):
        parts += [(story.panes.get(pane), new) for pane, new in split.items()]
    rows: list[list[PaneSummary | UnassignedArticle]] = [
        [*([old] if old else []), *new] for old, new in parts
    ]
    sums = add_up(
        [row.terms for part in rows for row in part],
        [row.tf for part in rows for row in part],
        [len(part) for part in rows],
        vocabulary,
    )
    grown = iter(_grown(old, len(new), sums, i) for i, (old, new) in enumerate(parts))
    return [
        story.with_panes({pane: next(grown) for pane in split}, len(group))
        for story, split, group in zip(stories, panes, groups, strict=True)
    ]


def _by_pane(
    articles: Sequence[UnassignedArticle],
) -> dict[int, list[UnassignedArticle]]:
    panes: dict[int, list[UnassignedArticle]] = {}
    for article in sorted(articles, key=lambda article: article.pane):
        panes.setdefault(article.pane, []).append(article)
    return panes


def _grown(old: PaneSummary | None, new: int, sums: TermSums, i: int) -> PaneSummary:
    where = sums.group(i)
    tf = sums.tf[where].copy()  # a copy, so as not to keep the whole slide's alive
    articles, vectors = (old.articles, old.vectors) if old else (0, np.zeros(0))
    return PaneSummary(
        articles + new, sums.terms[where].copy(), tf, vectors, int(tf.sum())
    )


def seen_as(story: StorySummary, panes: Indices, vectors: Matrix) -> StorySummary:
    """Return a story to which articles of these panes add their representations."""
    summaries = dict(story.panes)
    for pane in sorted(set(panes.tolist())):
        new = vectors[panes == pane].sum(axis=0, dtype=np.float64)
        old = summaries[pane].vectors
        summaries[pane] = replace(
            summaries[pane], vectors=old + new if len(old) else new
        )
    return replace(story, panes=summaries)
