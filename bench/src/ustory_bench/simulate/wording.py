"""The words of some sentences: each slot is filled from where its kind comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory_bench.simulate.draws import Draws, bits_of, fractions, scrambled
from ustory_bench.simulate.grammar import SLOTS, WORDS
from ustory_bench.simulate.vocabulary import (
    KIND_BITS,
    POOL_BITS,
    Vocabulary,
    zipf_table,
)


class Origin(IntEnum):
    """Who lends a word to an article."""

    COMMON = 0
    KIND = 1
    SUBJECT = 2
    STORY = 3
    SIDE = 4
    """One side of the story: long ones have many."""
    ARTICLE = 5


# Shares in the order of Origin, for sentences on the story, its kind, and anything
_SHARES = {
    "N": ((12, 22, 5, 29, 16, 16), (16, 35, 10, 3, 0, 36), (25, 15, 0, 0, 0, 60)),
    "V": ((20, 45, 0, 10, 5, 20), (25, 50, 0, 0, 0, 25), (50, 15, 0, 0, 0, 35)),
    "A": ((20, 35, 0, 10, 5, 30), (30, 40, 0, 0, 0, 30), (50, 15, 0, 0, 0, 35)),
    "S": ((10, 0, 0, 55, 20, 15), (30, 0, 0, 15, 0, 55), (40, 0, 0, 0, 0, 60)),
    "L": ((30, 0, 0, 52, 13, 5), (45, 0, 0, 20, 0, 35), (60, 0, 0, 0, 0, 40)),
    "O": ((25, 0, 0, 49, 16, 10), (50, 0, 0, 15, 0, 35), (60, 0, 0, 0, 0, 40)),
    "D": ((0, 0, 0, 40, 10, 50), (30, 0, 0, 0, 0, 70), (30, 0, 0, 0, 0, 70)),
}
_SAME_AS = {"F": "S", "T": "O"}
_PER_OWNER = 10
"""Words of each slot that a story, a side of it or a subject has."""

_SLOT_BITS = 8
_SALTS = np.array(
    [SLOTS.index(_SAME_AS.get(slot, slot)) << 8 for slot in SLOTS], dtype=np.uint64
)
_BESIDE = np.array([slot in _SAME_AS for slot in SLOTS])
_KIND_SALT = np.uint64(1 << 20)
_SIDE_SHIFT = np.uint64(32)
_LASTING = 2  # names of a story, by importance, that no drift replaces


@dataclass(frozen=True, slots=True)
class Voices:
    """For each sentence, the keys of those who lend their words."""

    kind: Indices
    subject: Draws
    words: Draws
    names: Draws
    side: Indices
    article: Draws
    age: Vector
    """Days since the story began."""


class Wording:
    """Fills the slots of sentences; holds tables only."""

    def __init__(self, vocabulary: Vocabulary, drift: float) -> None:
        self._vocabulary = vocabulary
        self._drift = drift
        self._origins = _origin_table()
        self._ranks = zipf_table(_PER_OWNER, _SLOT_BITS)

    def fill(
        self, slot: Indices, sentence: Indices, mode: Indices, bits: Draws, by: Voices
    ) -> Indices:
        """Return a word for each slot; `sentence` is the row of `by` that it is in."""
        origin = self._origins[mode, slot, bits_of(bits, 0, 8)]
        word = self._vocabulary.common[slot, bits_of(bits, 8, POOL_BITS)]
        lent = np.flatnonzero(origin != Origin.COMMON)
        rank = self._ranks[bits_of(bits[lent], 8, _SLOT_BITS)].astype(np.uint64)
        key = self._keys(slot[lent], rank, origin[lent], sentence[lent], bits[lent], by)
        # a first name is drawn apart from the surname, though they go together
        shift = np.where(_BESIDE[slot[lent]], POOL_BITS, 0).astype(np.uint64)
        word[lent] = self._vocabulary.own[
            slot[lent], bits_of(key >> shift, 0, POOL_BITS)
        ]
        of_kind = np.flatnonzero(origin[lent] == Origin.KIND)
        kind = lent[of_kind]
        word[kind] = self._vocabulary.shared[
            by.kind[sentence[kind]], slot[kind], bits_of(key[of_kind], 0, KIND_BITS)
        ]
        return word

    def _keys(
        self,
        slot: Indices,
        rank: Draws,
        origin: NDArray[np.int8],
        sentence: Indices,
        chance: Draws,
        by: Voices,
    ) -> Draws:
        """Return what an owner's word of some rank is drawn by, on this day."""
        is_name = slot >= len(WORDS)
        owner = np.where(is_name, by.names[sentence], by.words[sentence])
        side = ((by.side[sentence] + 1) * (origin == Origin.SIDE)).astype(np.uint64)
        owner += side << _SIDE_SHIFT
        owner += _KIND_SALT * (origin == Origin.KIND)
        owner = np.where(origin == Origin.SUBJECT, by.subject[sentence], owner)
        by_chance = origin == Origin.ARTICLE
        owner = np.where(by_chance, by.article[sentence], owner)
        rank = np.where(by_chance & ~is_name, chance, rank)
        key = scrambled(owner + _SALTS[slot] + rank)
        lasting = (origin != Origin.STORY) & (origin != Origin.SIDE)
        lasting |= is_name & (rank < _LASTING)
        turns = by.age[sentence] * self._drift * ~lasting + fractions(key)
        return scrambled(key + turns.astype(np.uint64))


def _origin_table() -> NDArray[np.int8]:
    """Return who lends a word: by mode, slot and a byte of chance."""
    table = np.zeros((3, len(SLOTS), 256), dtype=np.int8)
    for place, slot in enumerate(SLOTS):
        for mode, shares in enumerate(_SHARES[_SAME_AS.get(slot, slot)]):
            bounds = np.cumsum(shares) * 256 / sum(shares)
            table[mode, place] = np.searchsorted(bounds, np.arange(256), side="right")
    return table
