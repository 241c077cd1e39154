"""The language of a stream: numbered words, and how often each is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory_bench.simulate import english, grammar, names
from ustory_bench.simulate.kinds import KINDS
from ustory_bench.simulate.scenes import scenes

POOL_BITS = 16
"""A pool is a table of 2^16 words: the bits of a draw look one up."""

KIND_BITS = 10
APART = "\x1e"
"""Stands between two texts of a batch."""

_ENDS = (". ", ".\n", "\n", f".{APART}")
SENTENCE, PARAGRAPH, TITLE, TEXT = range(4)
"""Numbers of the signs that end a sentence, a paragraph, a title and a text."""

_NAMES_PER_STORY = 3
_FEWEST_NAMES, _MOST_NAMES = 12_000, 60_000
_PASSED_OVER = 30
"""Ranks of Zipf's law that the small words of the patterns already take."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Sentence patterns end to end: pattern i is `words[starts[i]:][:sizes[i]]`.

    A word from 0 up is one of the vocabulary; -1 is the first slot of `SLOTS`, -2 the
    second.
    """

    words: Indices
    starts: Indices
    sizes: Indices
    nth: Indices
    """(words,) of slots: the part of the sentence, the slot, and which of its kind it
    is there."""

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Every word there is, by number, and the pools that words are drawn from."""

    spelled: NDArray[np.object_]
    """Each word with a space before it; `spelled[n + size]` begins a sentence."""
    size: int
    common: Indices
    """(slots, 2^16) words that anyone may use, by Zipf's law."""
    own: Indices
    """(slots, 2^16) words that a story may choose for itself: rarer ones."""
    shared: Indices
    """(kinds, word slots, 2^10) words that all stories of a kind use."""
    scenes: Indices
    """(scenes, 2^10) nouns of the things that are where a story plays."""
    body: Patterns
    titles: Patterns


def build_vocabulary(stories: int) -> Vocabulary:
    """Return the language of a stream; more stories need more names."""
    lexicon = _Lexicon()
    people = int(np.clip(stories * _NAMES_PER_STORY, _FEWEST_NAMES, _MOST_NAMES))
    common, own = _pools(people)
    return Vocabulary(
        common=_tables(lexicon, common, POOL_BITS),
        own=_tables(lexicon, own, POOL_BITS),
        shared=np.stack(
            [_tables(lexicon, map(str.split, kind[1:]), KIND_BITS) for kind in KINDS]
        ),
        scenes=_tables(lexicon, scenes(), KIND_BITS),
        body=_patterns(lexicon, grammar.body_patterns()),
        titles=_patterns(lexicon, grammar.title_patterns()),
        spelled=lexicon.spelled(),
        size=len(lexicon.numbers),
    )


class _Lexicon:
    """Numbers words as they come; mutable."""

    def __init__(self) -> None:
        self.numbers = {end: number for number, end in enumerate(_ENDS)}

    def number(self, word: str) -> int:
        return self.numbers.setdefault(word, len(self.numbers))

    def spelled(self) -> NDArray[np.object_]:
        inside = [
            word if not word[0].isalnum() else f" {word}" for word in self.numbers
        ]
        first = [word[:1].upper() + word[1:] for word in self.numbers]
        return np.array(inside + first, dtype=object)


def _pools(people: int) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    """Return the words of each slot, the most frequent first: common and own ones."""
    adjectives = english.words(english.ADJECTIVES)
    people_and_places = [
        names.FIRST_NAMES,
        names.surnames(people),
        names.places(people // 2),
        names.firms(people // 2),
        names.ORGANISATIONS,
        _figures(),
    ]
    nouns, verbs = english.words(english.NOUNS), english.words(english.VERBS)
    specific, rare = english.words(english.SPECIFIC), english.compounds()
    doings = english.words(" ".join(kind.verbs for kind in KINDS))
    return (
        [[*nouns, *specific, *rare], verbs, adjectives, *people_and_places],
        [
            [*specific, *nouns, *rare],
            [*doings, *verbs],
            [*specific, *adjectives, *rare],  # a marble bridge, a river path
            *people_and_places,
        ],
    )


def _figures() -> list[str]:
    small = [str(number) for number in range(2, 100)]
    large = [f"{number:,}" for number in range(100, 5_000, 7)]
    broken = [f"{number / 10:.1f}" for number in range(11, 300, 3)]
    return [*small, *broken, *large]


def _tables(lexicon: _Lexicon, pools: Iterable[Sequence[str]], bits: int) -> Indices:
    return np.stack(
        [
            np.array([lexicon.number(word) for word in pool], dtype=np.int32)[
                zipf_table(len(pool), bits, _PASSED_OVER)
            ]
            for pool in pools
        ]
    )


def zipf_table(ranks: int, bits: int, passed_over: int = 0) -> Indices:
    """Return 2^bits ranks, each as often as Zipf's law has it: 1 / rank.

    >>> zipf_table(3, 4).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    """
    weights: Vector = 1 / (passed_over + np.arange(1, ranks + 1, dtype=np.float64))
    bounds = weights.cumsum() / weights.sum()
    points = (np.arange(1 << bits) + 0.5) / (1 << bits)
    return np.minimum(np.searchsorted(bounds, points), ranks - 1).astype(np.int32)


def _patterns(lexicon: _Lexicon, patterns: Sequence[grammar.Pattern]) -> Patterns:
    sizes = np.array([sum(map(len, pattern)) for pattern in patterns], dtype=np.int64)
    flat, nth = [], []
    for pattern in patterns:
        for number, part in enumerate(pattern):
            for place, word in enumerate(part):
                slot = grammar.SLOTS.find(word) if len(word) == 1 else -1
                flat.append(-1 - slot if slot >= 0 else lexicon.number(word))
                same = part[:place].count(word)
                nth.append((number << 8) + (max(slot, 0) << 4) + same)
    return Patterns(
        np.array(flat, dtype=np.int32),
        sizes.cumsum() - sizes,
        sizes,
        np.array(nth, dtype=np.int32),
    )
