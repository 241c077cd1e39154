"""Numbers for terms, in growing shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import ClassVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Mask
from ustory.core.article import TermCounts
from ustory.core.rules import FAR, Arrays, Holds, Rule, Within
from ustory.window import vocabulary_scan as scan

Keys = NDArray[np.int64]
_SPARE = 1.25
_SLOTS = 1.6
"""Slots for each term there is room for."""


class TermStore:
    """Words and keys of terms by number, and the numbers by word and key. Mutable.

    A term takes 8 bytes for its key and 6.4 to 8 for its slots.
    """

    def __init__(self, words: Sequence[str], keys: Keys) -> None:
        self._numbers = _WordNumbers(words)
        self.words = self._numbers.words
        self._keys = keys
        """(room,) first word << 32 | second word + 1, by term number."""
        self.count = len(keys)
        self._slots = _filled_slots(keys, self.count)

    def keys(self, count: int) -> Keys:
        """Return the keys of the first `count` terms, read-only."""
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
        # copies: an article of the window must not keep the whole array in memory
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
        words[size] = -1  # read for second words of -1
        return (words[counts.first] << 32) | (words[counts.second] + 1)

    def _make_room(self, needed: int) -> None:
        if needed <= len(self._keys) and needed * _SLOTS <= len(self._slots):
            return
        keys = np.empty(int(needed * _SPARE), dtype=np.int64)
        keys[: self.count] = self._keys[: self.count]
        self._slots = _NO_SLOTS  # free the old slots first
        self._slots = _filled_slots(keys, self.count)
        self._keys = keys


class _WordNumbers(dict[str, int]):
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


_NONE = np.zeros(0, dtype=np.int64)
_SECOND = (1 << 32) - 1
"""The bits of a key that hold its second word."""
_BLOCK = 1 << 20
"""Terms processed together: keys are most of a vocabulary, and a copy of all keys
would be most of the memory of a slide."""
_GROWING = Lock()
"""Held while a store grows: vocabularies of several threads may share one."""


class Vocabulary:
    """Numbers terms in order of appearance.

    Only single words are kept as text; a term is a key made of the numbers of
    its words. It never changes: growing and forgetting make a new one. A grown one
    shares what both know, so that growing costs as much as the new terms.
    """

    COLUMNS: ClassVar = {"words": tuple[str, ...], "keys": Keys}
    """What a snapshot writes down."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "keys"),
        Within(0, FAR, "keys"),
        Holds(
            "keys must be made of words, each once",
            lambda words, keys: _are_keys(words, keys),
            "words",
            "keys",
        ),
    )

    __slots__ = ("__weakref__", "_store", "_terms", "_users", "_word_count")

    def __init__(self, words: Sequence[str] = (), keys: Keys = _NONE) -> None:
        self._begin(TermStore(words, keys), WeakSet())

    def _begin(self, store: TermStore, users: WeakSet[Vocabulary]) -> None:
        self._store = store
        self._users = users
        """All vocabularies over the store: each knows its first words and terms."""
        self._word_count = len(store.words)
        self._terms = store.count
        users.add(self)

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[Sequence[str], Keys]]:
        return Vocabulary, (self.words, self.keys)

    def __len__(self) -> int:
        return self._terms

    @property
    def words(self) -> Sequence[str]:
        """All words, by number."""
        return self._store.words[: self._word_count]

    @property
    def keys(self) -> Keys:
        """All terms as keys, by number: first word << 32 | second word + 1."""
        return self._store.keys(self._terms).copy()

    def term(self, number: int) -> str:
        """Return the term with this number, written out."""
        return self.written(np.array([number]))[0]

    def written(self, numbers: Indices) -> list[str]:
        """Return some terms, written out."""
        words = self._store.words
        first, second = np.divmod(self._store.keys(self._terms)[numbers], 1 << 32)
        return [
            words[a] if b == 0 else f"{words[a]} {words[b - 1]}"
            for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ]

    def grown(self, counts: Sequence[TermCounts]) -> tuple[Vocabulary, list[Indices]]:
        """Return a vocabulary with the terms of some articles, and their numbers."""
        with _GROWING:
            store, users = self._at_its_end()
            numbers = store.add(counts)
            larger = Vocabulary.__new__(Vocabulary)
            larger._begin(store, users)
        return larger, numbers

    def _at_its_end(self) -> tuple[TermStore, WeakSet[Vocabulary]]:
        """Return a store that ends with this vocabulary, and its users.

        That is its own, unless a larger vocabulary still needs the rest of it.
        """
        if any(other._reaches_beyond(self) for other in self._users):
            return TermStore(self.words, self.keys), WeakSet()
        self._store.cut(self._word_count, self._terms)
        return self._store, self._users

    def _reaches_beyond(self, other: Vocabulary) -> bool:
        return self._terms > other._terms or self._word_count > other._word_count

    def keep(self, alive: Mask) -> tuple[Vocabulary, Indices]:
        """Return a vocabulary of the `alive` terms and where each number went.

        A forgotten number maps to -1. The words of a term live as long as it does.
        """
        moved = np.full(self._terms, -1, dtype=np.int32)
        count = int(np.count_nonzero(alive))
        moved[alive] = np.arange(count, dtype=np.int32)
        keys, end = np.empty(count, dtype=np.int64), 0
        used = np.zeros(self._word_count, dtype=bool)
        known = self._store.keys(self._terms)
        for start in range(0, self._terms, _BLOCK):
            block = slice(start, start + _BLOCK)
            part = known[block][alive[block]]
            used[part >> 32] = True
            second = part & _SECOND
            used[second[second > 0] - 1] = True
            keys[end : end + len(part)] = part
            end += len(part)
        words = [self._store.words[i] for i in np.flatnonzero(used).tolist()]
        place = np.cumsum(used, dtype=np.int64)  # plus 1; what is not used is not read
        for start in range(0, count, _BLOCK):
            part = keys[start : start + _BLOCK]
            first, second = part >> 32, part & _SECOND
            part[:] = (place[first] - 1) << 32
            part |= np.where(second > 0, place[second - 1], 0)
        return Vocabulary(words, keys), moved


def _are_keys(words: Sequence[str], keys: Keys) -> bool:
    """Whether keys name two of so many words, and no key or word is there twice."""
    if not len(keys):
        return len(set(words)) == len(words)
    ordered = np.sort(keys)
    return bool(
        len(set(words)) == len(words)
        and ordered[-1] >> 32 < len(words)
        and (keys & _SECOND).max() <= len(words)
        and (np.diff(ordered) > 0).all()
    )
