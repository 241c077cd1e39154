"""Evidence by meaning: cosines of vectors without what all articles share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.article import PreparedArticle
from ustory.core.evidence import Pairs, Reason, plain_reason
from ustory.core.rules import MAX_DAYS, Arrays, Holds, Rule, Square, Within
from ustory.links.article import LinkedArticle
from ustory.links.background import fading
from ustory.links.evidence.words import pair_reliability

MEANING, MEANING_EVEN = 8.0, 0.35
"""Log-odds per unit of the cosine where texts have no words to compare, and the cosine
at which it is neutral; the more words two texts have, the less their meaning adds."""

BESIDE_GIST = 0.8
"""How much less meaning says of texts without words where a gist says it, too."""

STALE = 0.1
"""Share of new articles from which the spread is recomputed."""

PLAIN = 100.0
"""Articles that stand for "all directions alike": until there are many more, hardly
anything is taken out."""

_BLOCK = 8_192
"""Articles whose numbers are held at full length at once."""

_PAIRS = 512
"""Pairs whose vectors are multiplied at once: they fit into the cache."""

_ROUNDING = 1e-6
"""A float32 vector this near the mean is the mean, and has no direction of its own."""


class MeaningEvidence:
    """The meaning of two articles. Every article has a vector: it keeps no column."""

    name = "meaning"
    most = MEANING * (1 - MEANING_EVEN)

    def column(self, prepared: PreparedArticle) -> None:
        """Return None: vectors are kept for every article."""
        del prepared

    def candidates(self, columns: Sequence[NDArray[Any]], new: int) -> None:
        """Return None: meaning alone links no articles (docs/ablations.md)."""
        del columns, new

    def log_odds(self, pairs: Pairs) -> Vector:
        """Return the log-odds by meaning: it says what too few words cannot."""
        assert pairs.vectors is not None
        near = row_cosines(pairs.vectors, pairs.newer, pairs.older)
        left = 1.0 - pair_reliability(pairs)
        odds = meaning_log_odds(near) * left
        beside = np.where(pairs.both_gists, 1.0 - BESIDE_GIST * left, 1.0)
        return np.where(pairs.across, 0.0, odds * beside)

    def reason(self, odds: float) -> Reason:
        """Return what the meaning says."""
        return plain_reason(self.name, odds)


def meaning_log_odds(cosine: Vector) -> Vector:
    """Return the log-odds of pairs from the cosines of their meanings."""
    return MEANING * (cosine - MEANING_EVEN)


def row_cosines(rows: Matrix, first: Indices, second: Indices) -> Vector:
    """Return the cosine of each pair of unit rows."""
    found = np.empty(len(first))
    # blocks that fit into the cache, in memory that is used again
    ends = np.empty((2, min(_PAIRS, len(first)), rows.shape[1]), dtype=np.float32)
    for start in range(0, len(first), _PAIRS):
        part = slice(start, start + _PAIRS)
        size = len(first[part])
        for end, places in zip(ends, (first, second), strict=True):
            np.take(rows, places[part], axis=0, out=end[:size], mode="clip")
        found[part] = np.einsum("ij,ij->i", ends[0, :size], ends[1, :size])
    return found


def _as_long(total: Vector, mean: Vector, articles: float) -> bool:
    """Whether both are of vectors of one length; before the first article neither is.

    Sums are of rows that are no longer than 1.
    """
    if not articles:
        return not len(total) and not len(mean)
    most = float(np.abs(total).max(initial=0.0))
    return len(total) == len(mean) > 0 and most <= 1.01 * articles


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanings:
    """Mean and spread of the article vectors of a stream, fading with time."""

    day: float = 0.0
    articles: float = 0.0
    total: Vector = field(default_factory=lambda: np.zeros(0))
    """(dim,) sum of the vectors."""
    squares: Vector = field(default_factory=lambda: np.zeros((0, 0)))
    """(dim, dim) sum of their outer products."""
    fresh: float = 0.0
    """Articles since `mean` and `axes` were computed."""
    mean: Vector = field(default_factory=lambda: np.zeros(0))
    axes: Vector = field(default_factory=lambda: np.zeros((0, 0)))
    """(dim, dim) directions of the spread, scaled."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float64", "total", "mean"),
        Arrays("float64", "squares", "axes", axes=2),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, 1e15, "articles", "fresh"),
        Within(-1e15, 1e15, "total", "squares"),
        Within(-2, 2, "mean"),
        Within(-1e9, 1e9, "axes"),
        Holds("mean must be as long as total", _as_long, "total", "mean", "articles"),
        Square("squares", "total"),
        Square("axes", "mean"),
    )

    def after(self, new: Sequence[LinkedArticle], day: float) -> Meanings:
        """Return what is known some time later, with new articles in it."""
        if not new:
            return self
        rows = np.array([article.vector for article in new], dtype=np.float64)
        left = fading(day - self.day) if self.articles else 0.0
        known = self if self.articles else _none(rows.shape[1])
        grown = replace(
            known,
            day=day,
            articles=known.articles * left + len(new),
            total=known.total * left + rows.sum(axis=0),
            squares=known.squares * left + rows.T @ rows,
            fresh=known.fresh + len(new),
        )
        return grown if grown.fresh < STALE * grown.articles else grown._computed()

    def distinct(self, articles: Sequence[LinkedArticle]) -> Matrix:
        """Return unit rows in which what all articles share weighs less.

        Directions in which the stream spreads widely are its running subjects; a
        cosine that is made of them says "both are about politics". Each direction
        is scaled by the fourth root of its variance: half-way to whitening, which
        would give as much weight to noise as to subjects.
        """
        found = np.empty((len(articles), len(self.mean)), dtype=np.float32)
        for start in range(0, len(articles), _BLOCK):
            part = slice(start, start + _BLOCK)
            rows = np.array([a.vector for a in articles[part]], dtype=np.float64)
            apart = rows - self.mean
            apart[np.linalg.norm(apart, axis=1) < _ROUNDING] = 0.0
            scaled = apart @ self.axes
            lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
            found[part] = scaled / np.maximum(lengths, 1e-12)
        return found

    def _computed(self) -> Meanings:
        mean = self.total / self.articles
        spread = self.squares / self.articles - np.outer(mean, mean)
        dim = len(mean)
        even = max(float(np.trace(spread)) / dim, np.finfo(float).eps)
        known = self.articles + PLAIN
        spread = (self.articles * spread + PLAIN * even * np.eye(dim)) / known
        values, axes = np.linalg.eigh(spread)
        scaled = axes / np.maximum(values, even * 1e-6) ** 0.25
        return replace(self, fresh=0.0, mean=mean, axes=scaled)


def _none(dim: int) -> Meanings:
    return Meanings(total=np.zeros(dim), squares=np.zeros((dim, dim)))
