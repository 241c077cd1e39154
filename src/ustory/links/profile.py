"""What is kept of a story when its articles leave the window: its strongest terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Matrix, SentenceVectors, Vector
from ustory.core.rules import FAR, MAX_DAYS, Alike, Arrays, Rule, Within
from ustory.links.article import LinkedArticle
from ustory.links.word_candidates import Rows, body_rows
from ustory.window.vocabulary import Vocabulary

TERMS = 64
"""Terms that a profile keeps at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A story in a few kilobytes; no headline, no text, no article."""

    story: str
    terms: tuple[str, ...]
    """Its strongest terms as text, strongest first: term numbers do not last."""
    weights: Matrix
    """(terms,) the mean of the articles' unit rows of weighted words."""
    vector: SentenceVectors
    """(dim,) the mean of the articles' vectors."""
    first: float
    """When its first article was published that is in here, in days since the epoch."""
    last: float
    """The same of its last."""
    articles: int
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float32", "weights"),
        Arrays("float16", "vector"),
        Alike("terms", "weights"),
        Within(0, 2, "weights"),
        Within(-2, 2, "vector"),
        Within(-MAX_DAYS, MAX_DAYS, "first", "last"),
        Within(1, FAR, "articles"),
    )

    def and_(self, later: Profile) -> Profile:
        """Return one profile of both; each counts by its articles."""
        articles = self.articles + later.articles
        weight: dict[str, float] = defaultdict(float)
        vector = np.zeros(len(self.vector))
        for part in (self, later):
            share = part.articles / articles
            vector += share * part.vector
            for term, value in zip(part.terms, part.weights.tolist(), strict=True):
                weight[term] += share * value
        terms, weights = _strongest(weight)
        return Profile(
            story=self.story,
            terms=terms,
            weights=weights,
            vector=vector.astype(np.float16),
            first=min(self.first, later.first),
            last=max(self.last, later.last),
            articles=articles,
        )


def profile_of(
    story: str, articles: Sequence[LinkedArticle], idf: Vector, vocabulary: Vocabulary
) -> Profile:
    """Return what is kept of some articles of a story.

    Words are weighed by what is common in the stream now, as they are for links.
    """
    numbers, means = mean_row(body_rows(articles, idf))
    # a margin, since equal weights are put in order of their text, not their number
    likely = np.argsort(-means, kind="stable")[: 4 * TERMS]
    words = vocabulary.written(numbers[likely])
    terms, weights = _strongest(dict(zip(words, means[likely].tolist(), strict=True)))
    days = [article.day for article in articles]
    return Profile(
        story=story,
        terms=terms,
        weights=weights,
        vector=mean_vector(articles).astype(np.float16),
        first=min(days),
        last=max(days),
        articles=len(articles),
    )


def mean_row(rows: Rows) -> tuple[Indices, Vector]:
    """Return the terms that some rows have, ascending, and the mean weight of each."""
    terms, place = np.unique(rows.terms, return_inverse=True)
    total = np.bincount(place, rows.values.astype(np.float64), len(terms))
    return terms, total / max(len(rows.start) - 1, 1)


def mean_vector(articles: Sequence[LinkedArticle]) -> Vector:
    """Return the mean of the articles' vectors."""
    rows = np.array([article.vector for article in articles], dtype=np.float64)
    return np.asarray(rows.mean(axis=0))


def _strongest(weight: Mapping[str, float]) -> tuple[tuple[str, ...], Matrix]:
    """Return the strongest terms and their weights; of equals the first by text."""
    kept = sorted(
        ((term, value) for term, value in weight.items() if value > 0),
        key=lambda item: (-item[1], item[0]),
    )[:TERMS]
    return tuple(term for term, _ in kept), np.array(
        [value for _, value in kept], dtype=np.float32
    )
