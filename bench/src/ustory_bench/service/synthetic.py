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

from ustory_bench.service.vocabulary import OUTLETS, WORDS, spellings, word

Ints = NDArray[np.int64]

START = 1_709_251_200_000_000
"""2024-03-01 in microseconds since 1970."""
HOUR = 3_600_000_000
DAY = 24 * HOUR
WEEK = 7 * DAY
EACH = 10
"""A story is born with every tenth article."""
LIVE = 5_000
KEYWORDS = 10
LANGUAGES = ("en", "de", "fr", "is")
_SHARES = (0.8, 0.15, 0.045, 0.005)
ERAS = 200
TITLE, LEAD = 9, 60
"""Words of a title, and of the text below it."""
_SENTENCE = 15
_COMMONEST_KEYWORD = 20
_OUTSIDE = 5 / 9
"""The share of those that begin no story, and are in none: half of all, then."""
_LARGE = 50
"""Every so many stories one is large: it takes an eighth of what comes."""
USED = 6
"""Keywords of its story that an article uses, in its title and in its text."""
WINDOW = 2_000
_MERGED = 20
"""Every so many stories one was merged into the one before it."""


@dataclass(frozen=True)
class Synthetic:
    """The numbers an archive is made of; equal numbers are equal archives."""

    articles: int
    most_live: int = LIVE
    """How many stories a week brings, and how many are live at most."""
    seed: int = 0
    window: int = WINDOW
    """How many of the last articles the engine itself is to put into stories."""

    @cached_property
    def told(self) -> int:
        """How many articles are in slides that are made up; the engine does the rest.

        Slides are not divided: it is the first article of one.
        """
        if not self.window:
            return self.articles
        last = self.slide[max(self.articles - self.window, 0)]
        return int(np.searchsorted(self.slide, last))

    @property
    def stories(self) -> int:
        """How many stories are made up."""
        return -(-self.told // EACH)

    @property
    def _every(self) -> int:
        return -(-self.articles // EACH)

    @property
    def live(self) -> int:
        """How many of them, the last, are live."""
        return min(self.most_live, self.stories // 2)

    @property
    def gap(self) -> int:
        """Microseconds between two articles: the stories of a week are live."""
        return WEEK // (self.most_live * EACH)

    def _rng(self, what: int) -> np.random.Generator:
        return np.random.default_rng((what, self.articles, self.most_live, self.seed))

    @cached_property
    def published(self) -> Ints:
        """When each article was published."""
        return START + self.gap * np.arange(self.articles, dtype=np.int64)

    @cached_property
    def slide(self) -> Ints:
        """The slide of each article: an hour each, the first is number 1."""
        return 1 + (self.published - START) // HOUR

    @cached_property
    def meant(self) -> Ints:
        """The story that each article tells of, -1 for those that tell of none.

        Most come soon after the first of their story. Some go to the last large
        story, and one in twenty to the one that a whole week writes about.
        """
        number = np.arange(self.articles, dtype=np.int64)
        now = number // EACH
        rng = self._rng(0)
        lag = rng.exponential(max(self.most_live / 10, 1), self.articles)
        found = np.maximum(now - lag.astype(np.int64), 0)
        kind = rng.random(self.articles)
        found = np.where(kind < 0.125, found - found % _LARGE, found)
        found = np.where(kind < 0.05, now - now % self.most_live, found)
        found = np.where(rng.random(self.articles) < _OUTSIDE, -1, found)
        return np.where(number % EACH == 0, now, found)

    @cached_property
    def born(self) -> Ints:
        """The story that each article was put in at first, -1 for those in none."""
        return np.where(np.arange(self.articles) < self.told, self.meant, -1)

    @cached_property
    def merged(self) -> NDArray[np.bool_]:
        """Which stories are part of the one before them now."""
        number = np.arange(self.stories)
        over = number < self.stories - self.live
        return np.asarray((number % _MERGED == 7) & over, dtype=np.bool_)

    @cached_property
    def story(self) -> Ints:
        """The story of each article now, -1 for those in none."""
        return np.where(self.merged[self.born] & (self.born >= 0), -1, 0) + self.born

    @cached_property
    def source(self) -> Ints:
        """The outlet of each article."""
        return _tail(self._rng(1), self.articles, 1, OUTLETS)

    @cached_property
    def language(self) -> Ints:
        """The language of each story, also of those that the engine is to find."""
        return self._rng(2).choice(len(LANGUAGES), self._every, p=_SHARES)

    @cached_property
    def keywords(self) -> Ints:
        """The keywords of each story; some twice."""
        size = (self._every, KEYWORDS)
        return _tail(self._rng(3), size, _COMMONEST_KEYWORD, WORDS)

    def era(self, article: int) -> str:
        """Return a word that every other article has for a while, and none later."""
        return f"era{article * ERAS // self.articles}"

    def ranks(self, first: int, count: int) -> Ints:
        """Return the words of some articles, title first, drawn for each chunk alone.

        An article uses some keywords of its story, in its title and in its text.
        """
        rng = np.random.default_rng((4, self.articles, self.seed, first))
        words = _tail(rng, (count, TITLE + LEAD), 1, WORDS)
        of = self.meant[first : first + count]
        own = self.keywords[np.maximum(of, 0)]
        pick = rng.integers(0, KEYWORDS, (count, USED))
        used = np.take_along_axis(own, pick, axis=1)
        for start in (0, TITLE):
            part = words[:, start : start + USED]
            words[:, start : start + USED] = np.where(of[:, None] >= 0, used, part)
        return words

    def texts(self, first: int, count: int) -> Iterator[tuple[str, str]]:
        """Yield title and text of some articles."""
        told = spellings()
        for place, row in enumerate(self.ranks(first, count).tolist(), start=first):
            said = [told[rank] for rank in row]
            lead = said[TITLE:]
            if place % 2 == 0:
                lead[-1] = self.era(place)
            parts = [lead[at : at + _SENTENCE] for at in range(0, LEAD, _SENTENCE)]
            text = ". ".join(map(_sentence, parts))
            yield _sentence(said[:TITLE]), f"{text}."


def _sentence(words: list[str]) -> str:
    told = " ".join(words)
    return told[0].upper() + told[1:]


def keywords_of(made: Synthetic) -> list[list[str]]:
    """Return the keywords of each story in words, none twice."""
    return [list(dict.fromkeys(map(word, row))) for row in made.keywords.tolist()]


def _tail(
    rng: np.random.Generator, size: int | tuple[int, ...], low: int, high: int
) -> Ints:
    """Return ranks from a long tail: each is drawn as often as one by its rank."""
    drawn = np.exp(rng.uniform(np.log(low), np.log(high + 1), size))
    return np.minimum(drawn.astype(np.int64), high)
