"""An archive of made-up articles and stories, drawn as numbers, told as words.

Words, keywords, sources and languages are drawn from the same long-tailed
distributions whatever the size, so that a word that one article in a thousand has in
the small archive is as frequent in the large one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

START = 1_709_251_200_000_000
"""2024-03-01 in microseconds since 1970."""
GAP = 24_000_000
"""Microseconds between two articles: 25,200 a week."""
HOUR = 3_600_000_000
DAY = 24 * HOUR
EACH = 5
"""A story is born with every fifth article."""
LIVE = 5_000
WORDS = 50_000
KEYWORDS = 10
SOURCES = 300
LANGUAGES = ("en", "de", "fr", "is")
_SHARES = (0.8, 0.15, 0.045, 0.005)
ERAS = 200
_LENGTH = 24
_TITLE = 6
_COMMONEST_KEYWORD = 20
_LINGERING = 500
"""How many stories are born, on average, until an article of a story comes."""


@dataclass(frozen=True)
class Synthetic:
    """The numbers an archive is made of; equal sizes are equal archives."""

    articles: int

    @property
    def stories(self) -> int:
        """How many stories there are."""
        return self.articles // EACH

    @property
    def live(self) -> int:
        """How many of them, the last, are live."""
        return min(LIVE, self.stories // 2)

    def _rng(self, what: int) -> np.random.Generator:
        return np.random.default_rng((what, self.articles))

    @cached_property
    def published(self) -> Ints:
        """When each article was published."""
        return START + GAP * np.arange(self.articles, dtype=np.int64)

    @cached_property
    def slide(self) -> Ints:
        """The slide of each article: an hour each, the first is number 1."""
        return 1 + (self.published - START) // HOUR

    @cached_property
    def story(self) -> Ints:
        """The story of each article, -1 for one in twenty that has none.

        Every fifth begins one; one in five goes to the last large one, for a few
        stories are much larger than the others.
        """
        number = np.arange(self.articles, dtype=np.int64)
        now = number // EACH
        rng = self._rng(0)
        lag = rng.exponential(_LINGERING, self.articles).astype(np.int64)
        found = np.maximum(now - lag, 0)
        large = rng.random(self.articles) < 0.2
        found = np.where(large, found - found % 50, found)
        found = np.where(rng.random(self.articles) < 0.05, -1, found)
        return np.where(number % EACH == 0, now, found)

    @cached_property
    def source(self) -> Ints:
        """The source of each article."""
        return _tail(self._rng(1), self.articles, 1, SOURCES)

    @cached_property
    def language(self) -> Ints:
        """The language of each story."""
        return self._rng(2).choice(len(LANGUAGES), self.stories, p=_SHARES)

    @cached_property
    def keywords(self) -> Ints:
        """The keywords of each story; some twice."""
        size = (self.stories, KEYWORDS)
        return _tail(self._rng(3), size, _COMMONEST_KEYWORD, WORDS)

    def era(self, article: int) -> str:
        """Return a word that every other article has for a while, and none later."""
        return f"era{article * ERAS // self.articles}"

    def texts(self, first: int, count: int) -> Iterator[tuple[str, str]]:
        """Yield title and text of some articles, drawn for each chunk alone."""
        rng = np.random.default_rng((4, self.articles, first))
        words = _tail(rng, (count, _LENGTH), 1, WORDS)
        of = self.story[first : first + count]
        own = self.keywords[np.maximum(of, 0)]
        # an article uses three keywords of its story, the same in title and text
        pick = rng.integers(0, KEYWORDS, (count, 3))
        used = np.take_along_axis(own, pick, axis=1)
        words[:, :3] = np.where(of[:, None] >= 0, used, words[:, :3])
        for place, row in enumerate(words.tolist(), start=first):
            told = [f"w{number}" for number in row]
            told += [] if place % 2 else [self.era(place)]
            yield " ".join(told[:_TITLE]), " ".join(told)


def word(number: int) -> str:
    """Return a word by its rank: the lower, the more frequent.

    >>> word(7)
    'w7'
    """
    return f"w{number}"


def _tail(
    rng: np.random.Generator, size: int | tuple[int, ...], low: int, high: int
) -> Ints:
    """Return ranks from a long tail: each is drawn as often as one by its rank."""
    drawn = np.exp(rng.uniform(np.log(low), np.log(high), size))
    return drawn.astype(np.int64)
