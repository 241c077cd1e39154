"""WordLlama's static token vectors, averaged: the default encoder, fast on any CPU."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from threading import Lock

import numpy as np
from safetensors.numpy import load_file
from scipy.sparse import csr_array
from tokenizers import Tokenizer

from ustory.core.arrays import Indices, Matrix, SentenceVectors
from ustory.core.errors import ConfigError
from ustory.encode.door import to_plain_text, to_unit_rows
from ustory.encode.installed import package_file

_BATCH = 1024
_REMEMBERED_TOKENS = 800_000


class WordLlamaEncoder:
    """l2_supercat (MIT), 256 dimensions: the mean of a sentence's token vectors.

    The files come from the installed `wordllama` package, which itself is not
    imported: doing so takes a second and configures logging for everybody.
    A sentence without a token (empty, or only spaces) is the first axis.

    A row depends on its sentence alone, to the last bit: tokens are added up in
    order, by one thread. White space only separates words.
    """

    name = "wordllama"

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_file(
            str(_installed("tokenizers/l2_supercat_tokenizer_config.json"))
        )
        weights = load_file(_installed("weights/l2_supercat_256.safetensors"))
        # one row per token
        self._vectors: Matrix = weights["embedding.weight"].astype(np.float32)
        self._memory = _Memory()
        self._lock = Lock()

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return int(self._vectors.shape[1])

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        rows = np.zeros((len(sentences), self.dim), dtype=np.float16)
        for start in range(0, len(sentences), _BATCH):
            batch = to_plain_text(sentences[start : start + _BATCH])
            rows[start : start + len(batch)] = to_unit_rows(self._sums(batch))
        return rows

    def _sums(self, sentences: list[str]) -> Matrix:
        """Add up the token vectors of each sentence; the mean has this direction."""
        tokens, ends = self._tokens([sentence.split() for sentence in sentences])
        # (sentences, tokens): repeated tokens stay repeated, in reading order
        counts = csr_array(
            (np.ones(len(tokens), dtype=np.float32), tokens, ends),
            shape=(len(sentences), len(self._vectors)),
        )
        return np.asarray(counts @ self._vectors)

    def _tokens(self, sentences: list[list[str]]) -> tuple[Indices, Indices]:
        """Return all tokens, and where each sentence's end.

        Tokenised word by word: the model has no token that goes on after a space.
        Most words of the news have been seen before, so remembering them takes
        a fraction of the time of tokenising sentences, and gives the same tokens.
        """
        with self._lock:
            memory = self._memory
            if len(memory.tokens) > _REMEMBERED_TOKENS:
                memory = self._memory = _Memory()
            missing = set(chain.from_iterable(sentences)).difference(memory.number)
            if missing:
                words = list(missing)
                found = self._tokenizer.encode_batch_fast(
                    words, add_special_tokens=False
                )
                memory.add(words, [word.ids for word in found])
            return memory.tokens_of(sentences)


class _Memory:
    """The tokens of words seen before, one word after the other. Mutable."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.tokens = array("i")
        self._starts = array("i", [0])

    def add(self, words: list[str], tokens: list[list[int]]) -> None:
        """Remember the tokens of new words."""
        for word, ids in zip(words, tokens, strict=True):
            self.number[word] = len(self.number)
            self.tokens.extend(ids)
            self._starts.append(len(self.tokens))

    def tokens_of(self, sentences: list[list[str]]) -> tuple[Indices, Indices]:
        """Return the tokens of sentences of known words, and where each ends."""
        words = np.fromiter(
            map(self.number.__getitem__, chain.from_iterable(sentences)), np.int32
        )
        starts = np.array(self._starts)
        first, size = starts[words], starts[words + 1] - starts[words]
        end = np.cumsum(size)
        place = np.arange(end[-1] if len(end) else 0)
        place += np.repeat(first - (end - size), size)
        word_ends = np.cumsum([0, *map(len, sentences)])
        return np.array(self.tokens)[place], np.append(0, end)[word_ends]


def _installed(path: str) -> Path:
    file = package_file("wordllama", path)
    if file is None:
        raise ConfigError(
            f"the package wordllama has no file {path}; it comes with ustory: install "
            "it again with: pip install --force-reinstall wordllama"
        )
    return file
