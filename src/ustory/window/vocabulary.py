"""The terms of the window: grows with the stream, forgets what left it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Mask
from ustory.core.article import TermCounts

Keys = NDArray[np.int64]
_NONE = np.zeros(0, dtype=np.int64)


class Vocabulary:
    """Numbers terms in order of appearance.

    Only single words are kept as text; a term is a key made of the numbers of
    its words. It never changes: growing and forgetting make a new one.
    """

    COLUMNS: ClassVar = {"words": tuple[str, ...], "keys": Keys}
    """What a snapshot writes down."""

    __slots__ = ("_key", "_number", "_sorted", "_word_number", "_words")

    def __init__(self, words: Sequence[str] = (), keys: Keys = _NONE) -> None:
        self._words = list(words)
        self._word_number = {word: i for i, word in enumerate(self._words)}
        self._key = keys
        """(terms,) first word << 32 | second word + 1, by term number."""
        order = np.argsort(keys)
        self._sorted = keys[order]
        self._number = order.astype(np.int32)
        """(terms,) the number of each key of `_sorted`."""

    def __len__(self) -> int:
        return len(self._key)

    @property
    def words(self) -> Sequence[str]:
        """All words, by number."""
        return self._words

    @property
    def keys(self) -> Keys:
        """All terms as keys, by number."""
        return self._key

    def term(self, number: int) -> str:
        """Return the term with this number, written out."""
        first, second = divmod(int(self._key[number]), 1 << 32)
        if second == 0:
            return self._words[first]
        return f"{self._words[first]} {self._words[second - 1]}"

    def written(self, numbers: Indices) -> list[str]:
        """Return some terms, written out."""
        words = self._words
        first, second = np.divmod(self._key[numbers], 1 << 32)
        return [
            words[a] if b == 0 else f"{words[a]} {words[b - 1]}"
            for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ]

    def grown(self, counts: Sequence[TermCounts]) -> tuple[Vocabulary, list[Indices]]:
        """Return a vocabulary with the terms of some articles, and their numbers."""
        larger = Vocabulary()
        larger._words = self._words.copy()
        larger._word_number = self._word_number.copy()
        larger._sorted, larger._number = self._sorted, self._number
        larger._key = self._key
        return larger, larger._add(counts)

    def _add(self, counts: Sequence[TermCounts]) -> list[Indices]:
        """Return the numbers of each article's terms; new terms get new ones."""
        keys = [self._keys_of(article) for article in counts]
        if not keys:
            return []
        flat = np.concatenate(keys)
        distinct, first, where = np.unique(flat, return_index=True, return_inverse=True)
        numbers = self._numbers_of(distinct, first)[where]
        return np.split(numbers, np.cumsum([len(part) for part in keys])[:-1])

    def keep(self, alive: Mask) -> tuple[Vocabulary, Indices]:
        """Return a vocabulary of the `alive` terms and where each number went.

        A forgotten number maps to -1. A term lives as long as its words: both
        are terms of the same articles.
        """
        moved = np.full(len(self._key), -1, dtype=np.int32)
        moved[alive] = np.arange(int(alive.sum()), dtype=np.int32)
        first, second = np.divmod(self._key[alive], 1 << 32)
        used = np.zeros(len(self._words) + 1, dtype=bool)
        used[first] = True
        place = np.cumsum(used) - 1
        words = [self._words[i] for i in np.flatnonzero(used).tolist()]
        second = np.where(second > 0, place[second - 1] + 1, 0)
        return Vocabulary(words, (place[first] << 32) | second), moved

    def _keys_of(self, counts: TermCounts) -> Keys:
        numbers = self._word_number
        found = list(map(numbers.get, counts.words))
        if None in found:
            for i, word in enumerate(counts.words):
                if found[i] is None:
                    found[i] = numbers[word] = len(self._words)
                    self._words.append(word)
        words = np.array([*found, -1], dtype=np.int64)
        return (words[counts.first] << 32) | (words[counts.second] + 1)

    def _numbers_of(self, keys: Keys, first: Indices) -> Indices:
        """Return the numbers of distinct, sorted keys.

        New ones are numbered in order of appearance, `first`: terms of one
        article stay neighbours, and sums over articles stay in the cache.
        """
        place = np.searchsorted(self._sorted, keys)
        known = np.zeros(len(keys), dtype=bool)
        inside = place < len(self._sorted)
        known[inside] = self._sorted[place[inside]] == keys[inside]
        numbers = np.empty(len(keys), dtype=np.int32)
        numbers[known] = self._number[place[known]]
        fresh, order = keys[~known], np.argsort(first[~known])
        new = np.empty(len(fresh), dtype=np.int32)
        new[order] = np.arange(len(self._key), len(self._key) + len(fresh))
        numbers[~known] = new
        self._sorted = np.insert(self._sorted, place[~known], fresh)
        self._number = np.insert(self._number, place[~known], new)
        self._key = np.concatenate([self._key, fresh[order]])
        return numbers
