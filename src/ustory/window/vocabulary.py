"""The terms of the window: grows with the stream, forgets what left it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import ClassVar
from weakref import WeakSet

import numpy as np

from ustory.core.arrays import Indices, Mask
from ustory.core.article import TermCounts
from ustory.core.rules import FAR, Arrays, Holds, Rule, Within
from ustory.window.vocabulary_store import Keys, TermStore

_NONE = np.zeros(0, dtype=np.int64)
_SECOND = (1 << 32) - 1
"""The bits of a key that say which its second word is."""
_BLOCK = 1 << 20
"""Terms looked at together: keys are most of a vocabulary, and copies of all of them
at once would be most of the memory of a slide."""
_GROWING = Lock()
"""Held while a store is added to: vocabularies of several threads may share one."""


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

        A forgotten number maps to -1. A term lives as long as its words: both
        are terms of the same articles.
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
