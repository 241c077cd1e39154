"""The tokens of MiniLM, word by word: those of its own tokenizer, but faster."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ustory.core.compiled import guarded
from ustory.text.word_cache import ALONE, LETTER, SPACE, Ints, WordTokenizer

_PUNCTUATION = frozenset(string.punctuation + "“”‘’–—…•") - frozenset("[]")
# [ and ] stay in their words: the tokenizer knows [SEP] inside a text
MAX_TOKENS = 256
"""What the model reads of a sentence, its two marks included."""


class MiniLmTokens:
    """The token numbers of sentences, each between [CLS] and [SEP], one after another.

    The same as the model's tokenizer gives for whole sentences.
    """

    def __init__(self, file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._marks = self._tokenizer.encode("").ids
        self._words = WordTokenizer(self._tokens_of_words, _kind)

    def of(self, texts: Sequence[str]) -> tuple[Ints, NDArray[np.int64]]:
        """Return the tokens of all texts, and where each text's end."""
        first, last = self._marks
        return self._words.words(texts).tokens_between(first, last, MAX_TOKENS)

    def _tokens_of_words(self, words: list[str]) -> list[list[int]]:
        with guarded("tokenizers"):
            found = self._tokenizer.encode_batch_fast(words, add_special_tokens=False)
        return [word.ids for word in found]


def _kind(character: str) -> int:
    """Say what the model's tokenizer does with a character.

    Spaces separate; control characters, some of them spaces too, are dropped;
    punctuation is a word by itself. Of the latter only what all versions of
    Unicode agree on: the rest is found inside the word.
    """
    if character in "\t\n\r" or unicodedata.category(character) in ("Zs", "Zl", "Zp"):
        return SPACE
    if character in _PUNCTUATION:
        return ALONE
    return LETTER
