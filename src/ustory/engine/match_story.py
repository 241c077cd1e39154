"""What matching an article from outside the window needs in both modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.article import TermCounts
from ustory.core.settings import Settings
from ustory.engine.state import State
from ustory.paper.themes.stories import story_themes
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class StoryMatch:
    """A story of the window that an article may belong to."""

    story: str
    probability: float
    """What a slide would call its confidence; 1 for a copy."""
    keywords: tuple[str, ...]
    """Those of the story that the article has, heaviest first."""
    evidence: Mapping[str, float] | None = None
    """Log-odds by each evidence, as a `LinkDecision` has them; None in mode `paper`."""
    links: Mapping[str, float] = field(default_factory=dict)
    """The strongest linked articles; none in mode `paper`."""
    cosine: float | None = None
    divergence: float | None = None
    """The two factors of the similarity (Eq. 4); None in mode `links`."""
    joins: bool = False
    """Whether a slide would likely put the article here."""


class ThemeWords:
    """The keywords of the stories of a window, worked out once."""

    __slots__ = ("_row", "_terms", "_vocabulary")

    def __init__(self, state: State, settings: Settings) -> None:
        self._vocabulary = state.vocabulary
        self._row = {story: i for i, story in enumerate(state.stories)}
        self._terms = np.zeros((0, 0), dtype=np.int32)
        if state.stories:
            summaries, days = list(state.stories.values()), dict(state.days)
            themes, _ = story_themes(summaries, days, state.vocabulary, settings)
            self._terms = themes.terms

    def shared(self, story: str, terms: Indices) -> tuple[str, ...]:
        """Return the keywords of a story that are among known terms."""
        if story not in self._row:
            return ()
        own = self._terms[self._row[story]]
        own = own[(own >= 0) & np.isin(own, terms)]
        return tuple(self._vocabulary.written(own))


_UNKNOWN = -2
"""Number of a word that the window does not have; -1 is "no second word"."""


class Terms:
    """Looks terms up in a vocabulary, which does not grow by it."""

    __slots__ = ("_number", "_sorted", "_word")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._word = {word: i for i, word in enumerate(vocabulary.words)}
        order = np.argsort(vocabulary.keys)
        self._sorted = vocabulary.keys[order]
        self._number = order.astype(np.int32)

    def numbers(self, counts: TermCounts) -> Indices:
        """Return the number of each term of an article, -1 for unknown ones."""
        found = np.full(len(counts.first), -1, dtype=np.int32)
        if not len(self._sorted):
            return found
        known = self._word
        words = [known.get(word, _UNKNOWN) for word in counts.words]
        by_place = np.array([*words, -1], dtype=np.int64)
        first, second = by_place[counts.first], by_place[counts.second]
        whole = (first != _UNKNOWN) & (second != _UNKNOWN)
        keys = (first << 32) | (second + 1)
        place = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        whole &= self._sorted[place] == keys
        found[whole] = self._number[place[whole]]
        return found
