"""The terms of an article from outside the window, by the window's numbers."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.article import TermCounts
from ustory.window.vocabulary import Vocabulary

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
