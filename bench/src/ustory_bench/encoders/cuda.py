"""Measures minilm-cuda: python -m ustory_bench.encoders.cuda FOLDER [RESULT].

FOLDER holds what `ustory_bench.encoders.pack` wrote. Needs a CUDA card and torch.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ustory.core.arrays import SentenceVectors
from ustory.encode import minilm_cuda
from ustory.encode.minilm_cuda import MiniLmCudaEncoder, cut

ARTICLE = 25
"""Sentences of an article, in the sums of articles per day."""
REFERENCE_RATE = 189_000
"""Sentences/s of the model alone as the task states it, 28 tokens each."""
_LAYERS, _WIDTH, _INNER = 6, 384, 1536
_FLOP_PER_TOKEN = 2 * _LAYERS * (4 * _WIDTH**2 + 2 * _WIDTH * _INNER)
_HEARD = 40_000


def main() -> None:
    """Measure, print and write down."""
    folder = Path(sys.argv[1])
    with gzip.open(folder / "sentences.json.gz", "rt", encoding="utf-8") as file:
        sentences: list[str] = json.load(file)
    encoder = MiniLmCudaEncoder(folder)
    encoder.encode(["warm up"] * 5000)
    results: dict[str, Any] = {"machine": _machine()}
    results["faithful"] = _faithful(encoder, folder, sentences)
    results["company"] = _company(encoder, sentences[:4096])
    results["text to vectors"] = _end_to_end(folder, sentences)
    results["tokenising"] = _tokenising(encoder, sentences)
    results["model only"] = _model_only(encoder, sentences)
    results["shares"] = _shares(results)
    text = json.dumps(results, indent=1)
    print(text)
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(text + "\n", encoding="utf-8")


def _machine() -> dict[str, Any]:
    return {
        "card": torch.cuda.get_device_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "matrix product fp16 TFLOP/s": round(_card_limit() / 1e12),
    }


def _card_limit() -> float:
    """Return FLOP/s of a large float16 product, the best of five."""
    size = 8192
    one, other = (
        torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2)
    )
    return 2 * size**3 / _best(lambda: one @ other, 5)


def _best(work: Callable[[], object], times: int) -> float:
    """Return the seconds of the fastest run, the card's work included."""
    found = []
    for _ in range(times):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - start)
    return min(found)


def _cosines(one: SentenceVectors, other: SentenceVectors) -> Any:  # noqa: ANN401 - an array
    a, b = one.astype(np.float64), other.astype(np.float64)
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def _faithful(
    encoder: MiniLmCudaEncoder, folder: Path, sentences: list[str]
) -> dict[str, Any]:
    """Return the cosines to the original in float32, by sentence-transformers."""
    places = json.loads((folder / "reference_places.json").read_text())
    found = encoder.encode([sentences[place] for place in places])
    cosines = _cosines(found, np.load(folder / "reference.npy"))
    return {"sentences": len(places), "least cosine to fp32": round(cosines.min(), 7)}


def _company(encoder: MiniLmCudaEncoder, sentences: list[str]) -> dict[str, Any]:
    """Return how far a row moves when its sentence keeps other company."""
    together = encoder.encode(sentences)
    again = encoder.encode(sentences)
    shuffled = np.random.default_rng(0).permutation(len(sentences))
    moved = np.empty_like(together)
    moved[shuffled] = encoder.encode([sentences[place] for place in shuffled])
    few = np.concatenate(
        [encoder.encode(sentences[at : at + 16]) for at in range(0, len(sentences), 16)]
    )
    return {
        "same call twice, rows that differ": int((together != again).any(1).sum()),
        "other order, rows that differ": int((together != moved).any(1).sum()),
        "calls of 16, rows that differ": int((together != few).any(1).sum()),
        "calls of 16, least cosine": round(_cosines(together, few).min(), 7),
        "calls of 16, largest difference": float(
            np.abs(together.astype(np.float64) - few).max()
        ),
        "rows": len(sentences),
    }


def _rate(encoder: MiniLmCudaEncoder, sentences: Sequence[str]) -> int:
    start = time.perf_counter()
    encoder.encode(sentences)
    return round(len(sentences) / (time.perf_counter() - start))


def _end_to_end(folder: Path, sentences: list[str]) -> dict[str, Any]:
    """Return sentences/s of fresh encoders: no word known, some, and all."""
    first, unseen, known = [], [], []
    for _ in range(3):
        encoder = MiniLmCudaEncoder(folder)
        first.append(_rate(encoder, sentences[:_HEARD]))
        unseen.append(_rate(encoder, sentences[_HEARD:]))
        known.append(_rate(encoder, sentences))
    return {
        f"first {_HEARD} sentences": sorted(first),
        f"next {len(sentences) - _HEARD}, not seen before": sorted(unseen),
        f"all {len(sentences)} again": sorted(known),
    }


def _tokenising(encoder: MiniLmCudaEncoder, sentences: list[str]) -> dict[str, Any]:
    part = sentences[:_HEARD]
    encoder._tokenise(part)
    seconds = _best(lambda: encoder._tokenise(part), 5)
    return {"one thread, known words, sentences/s": round(len(part) / seconds)}


def _model_only(encoder: MiniLmCudaEncoder, sentences: list[str]) -> dict[str, Any]:
    """Return sentences/s with the tokens on the card and the rows left there."""
    tokens, ends = encoder._tokenise(sentences[:20_000])
    batches = [
        (torch.from_numpy(one.ids).cuda(), torch.from_numpy(one.starts).cuda(), one)
        for one in cut(tokens, ends, 0)
    ][:-1]
    count = sum(len(starts) - 1 for _, starts, _ in batches)
    used = sum(int(one.starts[-1]) for *_, one in batches)

    def work() -> None:
        for ids, starts, one in batches:
            encoder._model.rows(ids, starts, one.longest)

    seconds = _best(work, 10)
    return {
        "sentences/s": round(count / seconds),
        "tokens a sentence": round(used / count, 2),
        "tokens/s": round(used / seconds),
        "TFLOP/s": round(used * _FLOP_PER_TOKEN / seconds / 1e12),
        "token budget": minilm_cuda._BUDGETS[-1],
    }


def _shares(results: dict[str, Any]) -> dict[str, Any]:
    """Return what the median rate on unseen text is, of what could be."""
    _, unseen, known = results["text to vectors"].values()
    model, machine = results["model only"], results["machine"]
    found = {}
    for name, rates in (("unseen text", unseen), ("known words", known)):
        rate = rates[len(rates) // 2]
        flops = rate * model["tokens a sentence"] * _FLOP_PER_TOKEN
        limit = machine["matrix product fp16 TFLOP/s"] * 1e12
        found[name] = {
            "sentences/s": rate,
            "share of our model-only rate": round(rate / model["sentences/s"], 3),
            "share of the stated model-only rate": round(rate / REFERENCE_RATE, 3),
            "share of the card's matrix products": round(flops / limit, 3),
            f"articles/day of {ARTICLE} sentences": round(rate / ARTICLE * 86_400),
        }
    return found


if __name__ == "__main__":
    main()
