"""Gists and carried names, article by article and pair by pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.article import PreparedArticle
from ustory.links.background import HALF_LIFE
from ustory.links.evidence.gist import ACROSS, ACROSS_EVEN, GIST, GIST_EVEN, LONG
from ustory.links.evidence.names import FEW, NAMES, NAMES_EVEN, keys_of
from ustory.links.gists import KNOWN, RARE
from ustory.links.near_vectors import FLOOR, LIMITS

UNIT = 2048
"""A number of a gist is kept as a whole number of so many parts."""


class Gisted(Protocol):
    """What is compared of an article beside its words."""

    @property
    def lang(self) -> str:
        """Its language; empty for an article whose language has no number."""
        ...

    @property
    def gist(self) -> Vector | None:
        """Title and lead, None where there is no gist or it is nothing but zeros."""
        ...

    @property
    def names(self) -> frozenset[str]:
        """What its names and numbers are known by."""
        ...


def carried(
    prepared: PreparedArticle,
) -> tuple[str, Vector | None, frozenset[str]]:
    """Return the language of an article, its gist, and what carries over."""
    if prepared.gist is None:
        return "", None, frozenset()
    gist = np.array([round(float(x) * UNIT) / UNIT for x in prepared.gist])
    lang = (prepared.article.lang or "und").split("-")[0].casefold()
    return lang, gist, frozenset(keys_of(prepared.sentences))


class Means:
    """The sum of the gists of each language; all fade."""

    def __init__(self) -> None:
        self.day = 0.0
        self.articles: dict[str, float] = {}
        self.total: dict[str, Vector] = {}

    def add(self, new: Iterable[Gisted], day: float) -> None:
        """Fade, forget what is rare, then add; without a new gist nothing changes."""
        known = [(a.lang, a.gist) for a in new if a.gist is not None]
        if not known:
            return
        left = math.pow(0.5, max(day - self.day, 0.0) / HALF_LIFE)
        self.day = day
        for lang in list(self.articles):
            self.articles[lang] *= left
            self.total[lang] = self.total[lang] * left
            if self.articles[lang] <= RARE:
                del self.articles[lang], self.total[lang]
        for lang, gist in known:
            self.articles[lang] = self.articles.get(lang, 0.0) + 1
            self.total[lang] = self.total.get(lang, np.zeros(len(gist))) + gist

    def mean(self, lang: str) -> Vector:
        """Return what the articles of a language share, drawn towards that of all.

        That of all is drawn towards nothing. Either is one of `KNOWN` articles more.
        """
        everything = sum(self.total.values()) / (sum(self.articles.values()) + KNOWN)
        if lang not in self.articles:
            return np.asarray(everything)
        total = self.total[lang] + KNOWN * everything
        return np.asarray(total / (self.articles[lang] + KNOWN))

    def distinct(self, article: Gisted) -> Vector:
        """Return the gist without what its language shares, of unit length."""
        if article.gist is None or not article.gist.any():
            return np.zeros(1)
        apart = article.gist - self.mean(article.lang)
        length = math.sqrt(sum(x * x for x in apart))
        # the mean itself has no direction, but for rounding
        return np.asarray(apart / max(length, 1e-6))

    def cosine(self, one: Gisted, other: Gisted) -> float:
        """Return the cosine of two gists without what their languages share."""
        if not both(one, other):
            return 0.0
        return float(self.distinct(one) @ self.distinct(other))


def there(article: Gisted) -> bool:
    """Say whether an article has a gist that points anywhere."""
    return article.gist is not None and bool(article.gist.any())


def both(one: Gisted, other: Gisted) -> bool:
    """Say whether two articles have gists."""
    return there(one) and there(other)


def across(one: Gisted, other: Gisted) -> bool:
    """Say whether two articles with gists are in two languages."""
    return both(one, other) and one.lang != other.lang


def proposed(articles: Sequence[Gisted], newer: int) -> set[int]:
    """Return the places of older articles near a new one by gist.

    Of its own language, and of all others, they are so many at most.
    """
    found: set[int] = set()
    if not there(articles[newer]):
        return found
    for own in (True, False):
        near = []
        for place in range(newer):
            if not there(articles[place]):
                continue
            if (articles[place].lang == articles[newer].lang) == own:
                dot = product(articles[place], articles[newer])
                if dot >= round(FLOOR * UNIT * UNIT):
                    near.append((-dot, place))
        found |= {place for _, place in sorted(near)[: LIMITS.near]}
    return found


def product(one: Gisted, other: Gisted) -> int:
    """Return the product of two gists in whole numbers."""
    assert one.gist is not None
    assert other.gist is not None
    pairs = zip(one.gist, other.gist, strict=True)
    return sum(round(x * UNIT) * round(y * UNIT) for x, y in pairs)


def gist_log_odds(near: float, said: float, *, apart: bool) -> float:
    """Return what the cosine of two gists says where the words say so much."""
    if apart:
        return ACROSS * (near - ACROSS_EVEN)
    return GIST * (near - GIST_EVEN) * math.pow(1 - said, LONG)


def name_log_odds(
    one: frozenset[str], other: frozenset[str], everyone: Sequence[Gisted]
) -> float:
    """Return what the names of two articles in two languages say."""

    def weight(name: str) -> float:
        have = sum(name in article.names for article in everyone)
        return math.log(1 + len(everyone) / have)

    shared = sum(weight(name) ** 2 for name in one & other)
    lengths = math.sqrt(sum(weight(name) ** 2 for name in one))
    lengths *= math.sqrt(sum(weight(name) ** 2 for name in other))
    near = shared / lengths if lengths else 0.0
    odds = NAMES * (math.sqrt(min(near, 1.0)) - math.sqrt(NAMES_EVEN))
    return odds if min(len(one), len(other)) >= FEW else max(odds, 0.0)
