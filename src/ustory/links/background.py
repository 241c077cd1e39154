"""What is common in the stream: how many articles have a term, fading with time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.rules import MAX_DAYS, Arrays, Rule, Within
from ustory.links.article import LinkedArticle
from ustory.links.word_scan import count_terms

HALF_LIFE = 30.0
"""Days after which an article counts half: about four windows of a week."""

COMMON = 1.5
"""A term that has left the window is remembered while it counts more than this."""

_NOTHING = 1e-200
"""What is left of a count after decades; n divided by less would overflow."""


def fading(days: float) -> float:
    """Return what is left of a count after some days."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Document frequencies over more than one window."""

    day: float = 0.0
    """When the counts were last taken."""
    articles: float = 0.0
    df: Vector = field(default_factory=lambda: np.zeros(0))
    """(vocabulary,) articles that have each term."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float64", "df"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, 1e15, "articles", "df"),
    )

    def after(
        self, new: Sequence[LinkedArticle], day: float, vocabulary: int
    ) -> Background:
        """Return the background some time later, with new articles in it."""
        left = fading(day - self.day) if self.articles else 0.0
        df = np.zeros(vocabulary)
        np.multiply(self.df, left, out=df[: len(self.df)])
        if new:
            count_terms(np.concatenate([article.terms for article in new]), df)
        return Background(day=day, articles=self.articles * left + len(new), df=df)

    @property
    def idf(self) -> Vector:
        """(vocabulary,) ln(1 + n / df); 0 for a term that no article has."""
        seen = self.df > _NOTHING
        ratio = np.zeros(len(self.df))
        np.divide(self.articles, self.df, out=ratio, where=seen)
        return np.log1p(ratio, out=ratio)

    def common(self, vocabulary: int) -> Mask:
        """Return which terms of a vocabulary are remembered outside the window."""
        found = np.zeros(vocabulary, dtype=bool)
        found[: len(self.df)] = self.df > COMMON
        return found

    def renumber(self, moved: Indices) -> Background:
        """Return the same background under another vocabulary."""
        df = np.zeros(len(moved))
        df[: len(self.df)] = self.df
        return Background(day=self.day, articles=self.articles, df=df[moved >= 0])
