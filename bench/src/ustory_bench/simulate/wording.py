"""The words of some sentences: each slot is filled from where its kind comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory_bench.simulate.draws import Draws, bits_of, fractions, scrambled
from ustory_bench.simulate.grammar import SLOTS, WORDS
from ustory_bench.simulate.outline import IN_LEAD
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
    SCENE = 2
    SUBJECT = 3
    """Stories of one subject have these words and names in common."""
    STORY = 4
    SIDE = 5
    """One side of the story: long ones have many."""
    ARTICLE = 6


# Shares in the order of Origin, for sentences of the lead, on the story, on its kind,
# and on anything (decision 105)
_SHARES = {
    "N": (
        (5, 14, 24, 8, 40, 4, 5),
        (8, 14, 22, 8, 28, 5, 15),
        (18, 25, 23, 8, 2, 0, 24),
        (25, 3, 25, 0, 0, 0, 47),
    ),
    "V": (
        (10, 50, 0, 5, 25, 3, 7),
        (20, 38, 0, 5, 18, 5, 14),
        (30, 40, 0, 0, 0, 0, 30),
        (50, 15, 0, 0, 0, 0, 35),
    ),
    "A": (
        (10, 20, 10, 10, 35, 5, 10),
        (15, 25, 10, 10, 20, 5, 15),
        (20, 40, 10, 0, 0, 0, 30),
        (50, 10, 0, 0, 0, 0, 40),
    ),
    "S": (
        (0, 0, 0, 20, 65, 10, 5),
        (5, 0, 0, 22, 44, 14, 15),
        (15, 0, 0, 20, 15, 0, 50),
        (30, 0, 0, 0, 0, 0, 70),
    ),
    "L": (
        (5, 0, 0, 22, 63, 5, 5),
        (12, 0, 0, 22, 50, 11, 5),
        (30, 0, 0, 20, 20, 0, 30),
        (50, 0, 0, 0, 0, 0, 50),
    ),
    "O": (
        (5, 0, 0, 20, 62, 8, 5),
        (12, 0, 0, 20, 46, 12, 10),
        (30, 0, 0, 20, 15, 0, 35),
        (50, 0, 0, 0, 0, 0, 50),
    ),
    "D": (
        (0, 0, 0, 0, 60, 10, 30),
        (0, 0, 0, 0, 40, 10, 50),
        (30, 0, 0, 0, 0, 0, 70),
        (30, 0, 0, 0, 0, 0, 70),
    ),
}
_SAME_AS = {"F": "S", "T": "O"}
_PER_OWNER = 24
"""Words of each slot that a story, a side of it or a subject has at most."""

_SLOT_BITS = 8
_SALTS = np.array(
    [SLOTS.index(_SAME_AS.get(slot, slot)) << 8 for slot in SLOTS], dtype=np.uint64
)
_BESIDE = np.array([slot in _SAME_AS for slot in SLOTS])
_KIND_SALT = np.uint64(1 << 20)
_SCENE_SALT = np.uint64(1 << 21)
_SIDE_SHIFT = np.uint64(32)
_OWN_SHIFT = np.uint64(64 - 7)  # an article has 128 words of each slot for itself
_LASTING = 2  # names of a story, by importance, that no drift replaces


@dataclass(frozen=True, slots=True)
class Voices:
    """For each sentence, the keys of those who lend their words."""

    kind: Indices
    scene: Indices
    subject: Draws
    circle: Draws
    words: Draws
    names: Draws
    side: Indices
    article: Draws
    breadth: Indices
    """Words of each slot that its story has."""
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
        origin = self._origins[mode[sentence], slot, bits_of(bits, 0, 8)]
        word = self._vocabulary.common[slot, bits_of(bits, 8, POOL_BITS)]
        lent = np.flatnonzero(origin != Origin.COMMON)
        rank = self._ranks[bits_of(bits[lent], 8, _SLOT_BITS)]
        rank %= by.breadth[sentence[lent]]
        rank >>= mode[sentence[lent]] == IN_LEAD  # editors choose what matters most
        key = self._keys(
            slot[lent], rank.astype(np.uint64), origin[lent], sentence[lent],
            bits[lent], by,
        )  # fmt: skip
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
        of_scene = np.flatnonzero(origin[lent] == Origin.SCENE)
        scene = lent[of_scene]
        word[scene] = self._vocabulary.scenes[
            by.scene[sentence[scene]], bits_of(key[of_scene], 0, KIND_BITS)
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
        owner += _SCENE_SALT * (origin == Origin.SCENE)
        subject = np.where(is_name, by.circle[sentence], by.subject[sentence])
        owner = np.where(origin == Origin.SUBJECT, subject, owner)
        by_chance = origin == Origin.ARTICLE
        owner = np.where(by_chance, by.article[sentence], owner)
        rank = np.where(by_chance & ~is_name, chance >> _OWN_SHIFT, rank)
        key = scrambled(owner + _SALTS[slot] + rank)
        lasting = (origin != Origin.STORY) & (origin != Origin.SIDE)
        lasting |= is_name & (rank < _LASTING)
        turns = by.age[sentence] * self._drift * ~lasting + fractions(key)
        return scrambled(key + turns.astype(np.uint64))


def _origin_table() -> NDArray[np.int8]:
    """Return who lends a word: by mode, slot and a byte of chance."""
    table = np.zeros((4, len(SLOTS), 256), dtype=np.int8)
    for place, slot in enumerate(SLOTS):
        for mode, shares in enumerate(_SHARES[_SAME_AS.get(slot, slot)]):
            bounds = np.cumsum(shares) * 256 / sum(shares)
            table[mode, place] = np.searchsorted(bounds, np.arange(256), side="right")
    return table
