"""Where vocabularies keep their words and terms: added to at the end, shared by all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices
from ustory.core.article import TermCounts
from ustory.window import vocabulary_scan as scan

Keys = NDArray[np.int64]
_BLOCK = 1 << 20
_SPARE = 1.25
_SLOTS = 1.6
"""Slots for each term there is room for."""


class TermStore:
    """Words and keys of terms by number, and the numbers by word and key. Mutable.

    A term takes 8 bytes for its key and 6.4 to 8 for its slots.
    """

    def __init__(self, words: Sequence[str], keys: Keys) -> None:
        self._numbers = _Numbers(words)
        self.words = self._numbers.words
        self._keys = keys
        """(room,) first word << 32 | second word + 1, by term number."""
        self.count = len(keys)
        self._slots = _filled_slots(keys, self.count)

    def keys(self, count: int) -> Keys:
        """Return the keys of the first `count` terms, to be looked at only."""
        return self._keys[:count]

    def cut(self, words: int, terms: int) -> None:
        """Forget all words and terms but the first."""
        if len(self._slots):  # else there was no memory for them
            scan.free_slots(self._keys, self._slots, terms, self.count)
        self.count = terms
        for word in self.words[words:]:
            del self._numbers[word]
        del self.words[words:]

    def add(self, counts: Sequence[TermCounts]) -> list[Indices]:
        """Return the numbers of each article's terms; new terms get the next ones.

        In order of appearance: terms of one article stay neighbours, and sums over
        articles stay in the cache.
        """
        flat = list(map(self._keys_of, counts))
        ends = np.cumsum([len(part) for part in flat], dtype=np.int64)
        numbers = np.empty(int(ends[-1]) if flat else 0, dtype=np.int32)
        keys = np.concatenate(flat) if flat else np.zeros(0, dtype=np.int64)
        for start in range(0, len(keys), _BLOCK):
            part = keys[start : start + _BLOCK]
            self._make_room(self.count + len(part))
            self.count = scan.number_keys(
                part, self._keys, self._slots, self.count, numbers[start:]
            )
        begins = chain((0,), ends.tolist())
        # a copy each: an article in the window is to hold nothing else in memory
        return [
            numbers[first:end].copy()
            for first, end in zip(begins, ends.tolist(), strict=False)
        ]

    def _keys_of(self, counts: TermCounts) -> Keys:
        size = len(counts.words)
        words = np.empty(size + 1, dtype=np.int64)
        words[:size] = np.fromiter(
            map(self._numbers.__getitem__, counts.words), np.int64, size
        )
        words[size] = -1  # where a second word of -1 looks
        return (words[counts.first] << 32) | (words[counts.second] + 1)

    def _make_room(self, needed: int) -> None:
        if needed <= len(self._keys) and needed * _SLOTS <= len(self._slots):
            return
        keys = np.empty(int(needed * _SPARE), dtype=np.int64)
        keys[: self.count] = self._keys[: self.count]
        self._slots = _NO_SLOTS  # not both at once
        self._slots = _filled_slots(keys, self.count)
        self._keys = keys


class _Numbers(dict[str, int]):
    """Numbers words in order of appearance."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__((word, i) for i, word in enumerate(words))
        self.words = list(words)

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self.words)
        self.words.append(word)
        return number


def _filled_slots(keys: Keys, count: int) -> Indices:
    """Return slots for as many keys as there is room for, `count` of them put in."""
    slots = np.full(int(len(keys) * _SLOTS) + 8, -1, dtype=np.int32)
    if count:
        scan.fill_slots(keys, slots, count)
    return slots


_NO_SLOTS = np.zeros(0, dtype=np.int32)
