"""WordLlama's static token vectors, averaged: the default encoder, fast on any CPU."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from scipy.sparse import csr_array
from tokenizers import Tokenizer

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.errors import ConfigError
from ustory.encode.door import to_plain_text, to_unit_rows
from ustory.encode.installed import package_file

_BATCH = 1024
_REMEMBERED_TOKENS = 400_000


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
        self._words: dict[str, list[int]] = {}
        self._remembered = 0

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
        tokens = self._tokens([sentence.split() for sentence in sentences])
        ends = np.cumsum([0, *map(len, tokens)], dtype=np.int32)
        flat = np.fromiter(chain.from_iterable(tokens), np.int32, ends[-1])
        # (sentences, tokens): repeated tokens stay repeated, in reading order
        counts = csr_array(
            (np.ones(len(flat), dtype=np.float32), flat, ends),
            shape=(len(tokens), len(self._vectors)),
        )
        return np.asarray(counts @ self._vectors)

    def _tokens(self, sentences: list[list[str]]) -> list[list[int]]:
        """Tokenise word by word: the model has no token that goes on after a space.

        Most words of the news have been seen before, so remembering them takes
        a third of the time of tokenising sentences, and gives the same tokens.
        """
        known = self._memory()
        missing = list(set(chain.from_iterable(sentences)).difference(known))
        if missing:
            found = self._tokenizer.encode_batch_fast(missing, add_special_tokens=False)
            known.update(zip(missing, (word.ids for word in found), strict=True))
            self._remembered += sum(map(len, found))
        return [
            list(chain.from_iterable(map(known.__getitem__, words)))
            for words in sentences
        ]

    def _memory(self) -> dict[str, list[int]]:
        """Return the words known so far, none when there were too many."""
        if self._remembered > _REMEMBERED_TOKENS:
            # a new one: another thread may still be reading the old one
            self._words, self._remembered = {}, 0
        return self._words


def _installed(path: str) -> Path:
    file = package_file("wordllama", path)
    if file is None:
        raise ConfigError(
            f"the package wordllama has no file {path}; it comes with ustory: install "
            "it again with: pip install --force-reinstall wordllama"
        )
    return file
