"""The network of all-MiniLM-L6-v2 in torch, over sentences packed without padding."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ustory.encode.installed import import_extra

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
