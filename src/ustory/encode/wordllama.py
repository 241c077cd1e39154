"""WordLlama's static token vectors, averaged: the default encoder, fast on any CPU."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.compiled import guarded
from ustory.core.errors import ConfigError
from ustory.core.threads import thread_count
from ustory.encode.door import to_plain_text
from ustory.encode.installed import package_file
from ustory.encode.pooling_scan import pool_words
from ustory.text.word_cache import WordTokenizer

_BATCH = 1024
_LINE = 32
_SPACE = "▁"
"""What the tokenizer puts for a space, and before the first word."""
_MARKED = re.compile(f"[<{_SPACE}]")
"""In a word that holds this, a token that begins one need not be its first."""


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
        pieces = self._tokenizer.get_vocab()
        self._begins = [False] * (max(pieces.values()) + 1)
        for piece, token in pieces.items():
            self._begins[token] = piece.startswith(_SPACE)
        self._words = WordTokenizer(self._tokens_of_words)

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return int(self._vectors.shape[1])

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        rows = np.empty((len(sentences), self.dim), dtype=np.float16)
        starts = range(0, len(sentences), _BATCH)
        if len(starts) <= 1:
            self._fill(sentences, rows)
            return rows
        parts = (sentences[start : start + _BATCH] for start in starts)
        places = (rows[start : start + _BATCH] for start in starts)
        with ThreadPoolExecutor(thread_count()) as pool:
            for _ in pool.map(self._fill, parts, places):
                pass
        return rows

    def _fill(self, sentences: Sequence[str], rows: SentenceVectors) -> None:
        """Write the sum of each sentence's token vectors, as the mean has its way."""
        found = self._words.words(to_plain_text(sentences))
        pool_words(found, self._vectors, rows.view(np.uint16))

    def _tokens_of_words(self, words: list[str]) -> list[list[int]]:
        """Return the tokens of each word; asked in lines, which takes a third."""
        plain = [word for word in words if not _MARKED.search(word)]
        lines = (plain[at : at + _LINE] for at in range(0, len(plain), _LINE))
        found = dict(zip(plain, self._tokens_of_lines(lines), strict=True))
        odd = [word for word in words if word not in found]
        with guarded("tokenizers"):
            asked = self._tokenizer.encode_batch_fast(odd, add_special_tokens=False)
        found.update((word, one.ids) for word, one in zip(odd, asked, strict=True))
        return [found[word] for word in words]

    def _tokens_of_lines(self, lines: Iterable[list[str]]) -> Iterator[list[int]]:
        """Yield the tokens of each word: its first begins with the mark of a space."""
        texts = list(map(" ".join, lines))
        with guarded("tokenizers"):
            read = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        for line in read:
            ids = line.ids
            begins = [at for at, one in enumerate(ids) if self._begins[one]]
            for first, past in pairwise((*begins, len(ids))):
                yield ids[first:past]


def _installed(path: str) -> Path:
    file = package_file("wordllama", path)
    if file is None:
        raise ConfigError(
            f"the package wordllama has no file {path}; it comes with ustory: install "
            "it again with: pip install --force-reinstall wordllama"
        )
    return file
