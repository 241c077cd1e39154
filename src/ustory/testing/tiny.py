"""An encoder small enough for tests: no model, no download, the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from ustory.core.arrays import SentenceVectors, Vector

_DIM = 32
_WORD = re.compile(r"\w+")


class TinyEncoder:
    """Counts hashed words: each adds 1 or -1 to one of 32 places.

    Sentences that share words are similar, which is all a test of the method
    needs. Word order and letter case do not matter.
    """

    name = "tiny"

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return _DIM

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order.

        The first axis stands for a sentence without words, or whose words
        cancel each other out.
        """
        rows = np.zeros((len(sentences), _DIM), dtype=np.float16)
        for place, sentence in enumerate(sentences):
            rows[place] = _row(sentence)
        return rows


def _row(sentence: str) -> Vector:
    row = np.zeros(_DIM)
    for word in _WORD.findall(sentence.casefold()):
        place, sign = _bucket(word)
        row[place] += sign
    if not row.any():
        row[0] = 1.0
    unit: Vector = row / np.sqrt(np.square(row).sum())
    return unit


@lru_cache(maxsize=100_000)
def _bucket(word: str) -> tuple[int, int]:
    """Return the place of a word and its sign, whatever PYTHONHASHSEED is."""
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=2).digest()
    return digest[0] % _DIM, 1 if digest[1] % 2 else -1
