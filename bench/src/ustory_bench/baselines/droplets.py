"""Condensed cluster droplets, their histories, and the spaces they live in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TypeAlias

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory_bench.baselines.document import Document

LEAST = 0.5
"""A word in fewer articles of the background than this is forgotten there."""

FAINT = 1e-4
"""A word whose sum in a droplet is below this is forgotten there."""

Point: TypeAlias = tuple[Indices, Vector]
"""An article of unit length: its axes, and its values along them."""

Sums: TypeAlias = tuple[tuple[str, ...], Vector]
"""Words and the sums of each; no words where the sums are of sentence vectors."""


def fading(days: float, half_life: float) -> float:
    """Return what is left of a weight: f(t) = 2^(−λt), with λ = 1 / half-life.

    >>> fading(6, half_life=3)
    0.25
    """
    return float(2 ** (-days / half_life))


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """How similar articles were to a droplet when they joined it."""

    articles: float = 0.0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, articles: float, mean: float, deviation: float) -> History:
        """Return the history of some articles with these moments."""
        squares = articles * (mean**2 + deviation**2)
        return cls(articles=articles, total=articles * mean, squares=squares)

    def and_(self, other: History) -> History:
        """Return both histories as one."""
        return History(
            articles=self.articles + other.articles,
            total=self.total + other.total,
            squares=self.squares + other.squares,
        )

    def at(self, score: float) -> float:
        """Return the similarity with this standard score: μ + z·σ."""
        mean = self.total / self.articles
        variance = max(self.squares / self.articles - mean**2, 0.0)
        return mean + score * sqrt(variance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Droplet:
    """A condensed cluster droplet D(t, C), and its history."""

    words: tuple[str, ...]
    """What `sums` are of; empty where they are of sentence vectors."""
    sums: Vector
    """DF1: the faded sum of its articles, as of `last`."""
    weight: float
    """w(t): the faded number of its articles, as of `last`."""
    last: float
    """l: the day of its latest article."""
    history: History


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """In how many articles of the stream each word was, fading as droplets do."""

    articles: float = 0.0
    words: Mapping[str, float] = field(default_factory=dict)
    day: float = 0.0
    """As of when."""

    def after(self, documents: Sequence[Document], half_life: float) -> Background:
        """Return it with more articles, and without words that have faded away."""
        day = max(self.day, *(document.day for document in documents))
        fade = fading(day - self.day, half_life)
        faded = ((word, n * fade) for word, n in self.words.items())
        words = {word: n for word, n in faded if n >= LEAST}
        for document in documents:
            for word in document.words:
                words[word] = words.get(word, 0.0) + 1
        articles = self.articles * fade + len(documents)
        return Background(articles=articles, words=words, day=day)


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The axes along which articles and droplets are compared in one slide."""

    squared: Vector
    """The squared weight of each axis: idf², or 1."""
    column: Mapping[str, int] | None = None
    """The axis of each word, in order; None for sentence vectors."""
    title: float = 1.0
    """How much more a word weighs that is in the title, too."""

    def point(self, document: Document) -> Point:
        """Return an article, of unit length: 1 + ln tf, the idf is in the axes."""
        if self.column is None:
            return np.arange(len(self.squared)), document.vector.astype(np.float64)
        words = document.words
        axes = np.array([self.column[word] for word in words], dtype=np.int64)
        values = 1 + np.log(np.array(list(words.values()), dtype=np.float64))
        values[[word in document.title for word in words]] *= self.title
        length = sqrt(float(values**2 @ self.squared[axes]))
        return axes, values / length if length else values

    def row(self, droplet: Droplet) -> Vector:
        """Return the sums of a droplet, one for each axis."""
        if self.column is None:
            return droplet.sums.copy()
        row = np.zeros(len(self.squared))
        row[[self.column[word] for word in droplet.words]] = droplet.sums
        return row

    def sums(self, row: Vector) -> Sums:
        """Return the sums as a droplet keeps them: those that have not faded away."""
        if self.column is None:
            return (), row
        names = tuple(self.column)
        used = np.flatnonzero(row >= FAINT)
        return tuple(names[axis] for axis in used.tolist()), row[used]

    def norm(self, row: Vector) -> float:
        """Return the length of sums in this space."""
        return sqrt(float(row**2 @ self.squared))

    def inner(self, point: Point, row: Vector) -> float:
        """Return the inner product of an article and sums."""
        axes, values = point
        return float(row[axes] @ (values * self.squared[axes]))


def word_space(
    background: Background,
    new: Iterable[Document],
    droplets: Iterable[Droplet],
    title: float,
) -> Space:
    """Return the space of all words in use, weighted by idf = ln(1 + n / df)."""
    given = (word for document in new for word in document.words)
    held = (word for droplet in droplets for word in droplet.words)
    words = tuple(dict.fromkeys((*given, *held)))
    df = np.array([background.words.get(word, LEAST) for word in words])
    idf = np.log1p(background.articles / df)
    column = {word: axis for axis, word in enumerate(words)}
    return Space(squared=idf**2, column=column, title=title)


def sentence_space(dim: int) -> Space:
    """Return the space of sentence vectors, all of whose axes weigh the same."""
    return Space(squared=np.ones(dim))
