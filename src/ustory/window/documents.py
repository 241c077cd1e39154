"""Document frequencies of the window, per pane: additive, like the summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Counts, Indices
from ustory.core.rules import (
    FAR,
    Alike,
    Arrays,
    Ascending,
    Ordered,
    Rule,
    Within,
)
from ustory.window.unassigned import UnassignedArticle


@dataclass(frozen=True, slots=True)
class PaneDocuments:
    """How many articles of a pane have each term, and how long they are."""

    articles: int
    length: int
    """Term appearances in all of them."""
    terms: Indices
    """Sorted term numbers."""
    df: Counts
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int32", "terms", "df"),
        Alike("terms", "df"),
        Ascending("terms"),
        Within(0, FAR, "terms", "length"),
        Within(1, FAR, "articles", "df"),
    )

    def __add__(self, other: PaneDocuments) -> PaneDocuments:
        """Add up two sets of articles."""
        terms = np.concatenate([self.terms, other.terms])
        order = np.argsort(terms, kind="stable")  # linear: two sorted runs are merged
        terms, df = terms[order], np.concatenate([self.df, other.df])[order]
        first = np.flatnonzero(np.diff(terms, prepend=-1))
        if len(first):
            df = np.add.reduceat(df, first, dtype=np.int32)
        articles, length = self.articles + other.articles, self.length + other.length
        return PaneDocuments(articles, length, terms[first], df)


def pane_documents(articles: Sequence[UnassignedArticle]) -> PaneDocuments:
    """Return the document frequencies of some articles of one pane."""
    terms = np.concatenate([article.terms for article in articles])
    terms.sort()
    first = np.flatnonzero(np.diff(terms, prepend=-1))
    df = np.diff(first, append=len(terms)).astype(np.int32)
    length = sum(article.length for article in articles)
    return PaneDocuments(len(articles), length, terms[first], df)


@dataclass(frozen=True, slots=True)
class Documents:
    """All articles of the window as 𝔻 of the own theme, assigned ones included."""

    panes: Mapping[int, PaneDocuments] = field(default_factory=dict)
    df: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """(vocabulary,) articles of the window that have each term."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Ordered("panes"),
        Arrays("int32", "df"),
        Within(0, FAR, "df"),
    )

    @property
    def articles(self) -> int:
        """Number of articles in the window, |𝔻|."""
        return sum(pane.articles for pane in self.panes.values())

    def add(self, new: Mapping[int, PaneDocuments], vocabulary: int) -> Documents:
        """Return the window with new articles, over a vocabulary of that size."""
        df = np.zeros(vocabulary, dtype=np.int32)
        df[: len(self.df)] = self.df
        panes = dict(self.panes)
        for pane, documents in new.items():
            df[documents.terms] += documents.df
            panes[pane] = panes[pane] + documents if pane in panes else documents
        return Documents(dict(sorted(panes.items())), df)

    def since(self, pane: int) -> Documents:
        """Return the window without what lies before `pane`."""
        gone = [p for p in self.panes if p < pane]
        if not gone:
            return self
        df = self.df.copy()
        for old in gone:
            df[self.panes[old].terms] -= self.panes[old].df
        return Documents({p: d for p, d in self.panes.items() if p >= pane}, df)

    def renumber(self, moved: Indices) -> Documents:
        """Return the same window under another vocabulary."""
        # numbers move down in order, so sorted terms stay sorted
        panes = {p: replace(d, terms=moved[d.terms]) for p, d in self.panes.items()}
        return Documents(panes, self.df[moved >= 0])
