"""Tokenises word by word, remembering words: most of the news has been seen before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ustory.text import word_cache_scan as scan

Ints = NDArray[np.int32]
Letters = NDArray[np.uint32]
_Array = TypeVar("_Array", Ints, Letters, NDArray[np.int64])
REMEMBERED_TOKENS = 800_000
"""When the words remembered have more tokens than this, all are forgotten."""
_LETTERS_PER_TOKEN = 8
"""Nor may they have more letters than this for each token: some words have none."""


LETTER, SPACE, ALONE, EDGE = 0, 1, 2, 3
"""A character is part of a word, between words, a word by itself, or part of one
only between others."""
_LAST_SPACE = 0x3000


def kind_by_space(character: str) -> int:
    """Return SPACE for white space, else LETTER."""
    return SPACE if character.isspace() else LETTER


class Words(NamedTuple):
    """The words of some sentences, and the tokens of all words known by then."""

    word: Ints
    ends: Ints
    """Where each sentence ends among the words."""
    tokens: Ints
    token_start: NDArray[np.int64]
    trimmed: Ints
    """How many characters were left out at the ends of each word."""
    letter_ends: NDArray[np.int64]
    """Where each sentence ends among the letters of all."""

    def tokens_between(
        self, first: int, last: int, max_tokens: int
    ) -> tuple[Ints, NDArray[np.int64]]:
        """Return at most `max_tokens` of each sentence, the marks included.

        Beside them where each sentence's end.
        """
        size = scan.count_tokens(self.word, self.token_start) + 2 * len(self.ends)
        out = np.empty(size, np.int32)
        ends = np.empty(len(self.ends), np.int64)
        used = scan.copy_tokens(self, scan.Frame(first, last, max_tokens), out, ends)
        return out[:used], ends


class WordTokenizer:
    """A tokenizer's tokens of words, each word asked for once. Safe among threads.

    For tokenizers without a token that goes on after a space: there it gives the
    tokens of the whole sentence, in a small part of the time. `tokenise` gives the
    tokens of each of some words; `kind` says what parts them.
    """

    def __init__(
        self,
        tokenise: Callable[[list[str]], list[list[int]]],
        kind: Callable[[str], int] = kind_by_space,
    ) -> None:
        self._tokenise = tokenise
        every = range(_LAST_SPACE + 1)
        self._kinds = np.array([kind(chr(code)) for code in every], np.uint8)
        self._memory = _Memory()
        self._lock = Lock()

    def is_full(self, max_tokens: int) -> bool:
        """Say whether the words remembered have more tokens than `max_tokens`."""
        return self._memory.is_full(max_tokens)

    def words(self, sentences: Sequence[str]) -> Words:
        """Return the words of the sentences, looking up those not seen before."""
        text = "".join(sentences)
        letters, ends = _letters(sentences)
        room, word_ends = len(letters), np.empty(len(ends), np.int32)
        word, first, past, trimmed = (np.empty(room, np.int32) for _ in range(4))
        out = scan.FoundWords(word, first, past, trimmed, word_ends)
        with self._lock:
            if self._memory.is_full(REMEMBERED_TOKENS):
                self._memory = _Memory()
            memory = self._memory
            count, unknown = scan.find_words(
                letters, ends, self._kinds, memory.arrays, out
            )
        word, trimmed = word[:count], trimmed[:count]
        if unknown:
            new = np.flatnonzero(word < 0)
            places = zip(first[new].tolist(), past[new].tolist(), strict=True)
            asked = list(dict.fromkeys(text[start:end] for start, end in places))
            tokens = self._tokenise(asked)  # takes long: others may go on meanwhile
            with self._lock:
                memory.add(asked, tokens)
                scan.number_new(letters, word, first, past, memory.arrays)
        return Words(word, word_ends, memory.tokens, memory.token_start, trimmed, ends)


class _Memory:
    """Words and their tokens in flat arrays, found by a hash. Mutable.

    Arrays are written only past what is in use, and replaced when full: who holds
    them from before may go on reading.
    """

    def __init__(self) -> None:
        self.count = 0
        self.token_count = 0
        self._slots = np.full(2**12, -1, np.int32)
        self._letters = np.empty(2**14, np.uint32)
        self._starts = np.zeros(2**11, np.int64)
        self.tokens = np.empty(2**13, np.int32)
        self.token_start = np.zeros(2**11, np.int64)

    @property
    def arrays(self) -> scan.Memory:
        """What the compiled loops look words up in."""
        return scan.Memory(self._slots, self._letters, self._starts)

    def is_full(self, max_tokens: int) -> bool:
        """Say whether there are more tokens than `max_tokens`, or letters to match."""
        letters = int(self._starts[self.count])
        return (
            self.token_count > max_tokens or letters > max_tokens * _LETTERS_PER_TOKEN
        )

    def add(self, words: list[str], tokens: list[list[int]]) -> None:
        """Remember words, all different, and their tokens.

        Some may have been added since they were found missing.
        """
        letters, ends = _letters(words)
        new = scan.unknown_words(letters, ends, self.arrays).tolist()
        if not all(new):
            words, tokens = list(compress(words, new)), list(compress(tokens, new))
            letters, ends = _letters(words)
        sizes = np.fromiter(map(len, tokens), np.int64, len(tokens))
        count, total = self.count + len(words), self.token_count + int(sizes.sum())
        used = int(self._starts[self.count])
        self._letters = _roomy(self._letters, used, used + len(letters))
        self._starts = _roomy(self._starts, self.count + 1, count + 1)
        self.token_start = _roomy(self.token_start, self.count + 1, count + 1)
        self.tokens = _roomy(self.tokens, self.token_count, total)
        if 2 * count > len(self._slots):
            self._slots = np.full(1 << (4 * count - 1).bit_length(), -1, np.int32)
            scan.fill_slots(self.arrays, self.count)
        scan.add_words(letters, ends, self.arrays, self.count)
        flat = [token for ids in tokens for token in ids]
        self.tokens[self.token_count : total] = flat
        self.token_start[self.count + 1 : count + 1] = self.token_count + np.cumsum(
            sizes
        )
        self.count, self.token_count = count, total


def _letters(texts: Sequence[str]) -> tuple[Letters, NDArray[np.int64]]:
    """Return the code points of all texts, and where each text ends."""
    text = "".join(texts).encode("utf-32-le", "surrogatepass")
    letters = np.frombuffer(text, np.uint32)
    return letters, np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))


def _roomy(array: _Array, used: int, needed: int) -> _Array:
    """Return the array, or a larger copy of what is used of it."""
    if needed <= len(array):
        return array
    larger = np.zeros(2 * needed, array.dtype)
    larger[:used] = array[:used]
    return larger
