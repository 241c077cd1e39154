"""Compares the runtimes of minilm: python -m ustory_bench.encoders.runtimes [STREAM].

Puts its part into results/encoders-speed.json, by time of the processors, runtimes
taking turns; where torch is installed, with cosines to the original in float32.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.protocols import Encoder
from ustory.encode.minilm import MiniLmEncoder, OnnxRuntime, OpenVino
from ustory.encode.minilm_cuda import MiniLmCudaEncoder
from ustory_bench.encoders.__main__ import RESULTS, STREAM
from ustory_bench.encoders.pack import sentences
from ustory_bench.speed.machine import machine

_MANY = 200
_TIMES = 2


def main() -> None:
    """Measure, print and write down, keeping what is not measured anew."""
    stream = Path(sys.argv[1]) if len(sys.argv) > 1 else STREAM
    texts = random.Random(0).sample(sentences(stream), _MANY)
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    results["minilm runtimes"] = found = {"machine": machine(), **_compare(texts)}
    text = json.dumps(results, indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def _compare(texts: Sequence[str]) -> dict[str, Any]:
    encoders = [MiniLmEncoder(kind) for kind in (OnnxRuntime, OpenVino)]
    rows = {one.runtime: one.encode(texts) for one in encoders}
    seconds: dict[str, list[float]] = {one.runtime: [] for one in encoders}
    for _ in range(_TIMES):
        for one in encoders:
            seconds[one.runtime].append(_seconds(one, texts))
    few = {one.runtime: one.encode(texts[::5]) for one in encoders}
    found: dict[str, Any] = {
        "sentences": len(texts),
        "chosen here": MiniLmEncoder().runtime,
        "least cosine of one to the other": _least(*rows.values()),
    }
    original = _original(texts)
    for name, mine in rows.items():
        found[name] = {
            "sentences a second of processor": round(len(texts) / min(seconds[name])),
            "without four fifths of the sentences, rows that differ": int(
                (few[name] != mine[::5]).any(axis=1).sum()
            ),
        }
        if original is not None:
            found[name]["least cosine to the original"] = _least(mine, original)
    return found


def _seconds(encoder: Encoder, texts: Sequence[str]) -> float:
    start = time.process_time()
    encoder.encode(texts)
    return time.process_time() - start


def _original(texts: Sequence[str]) -> SentenceVectors | None:
    if find_spec("torch") is None:
        return None
    return MiniLmCudaEncoder(device="cpu").encode(texts)


def _least(one: SentenceVectors, other: SentenceVectors) -> float:
    """Return the least cosine of two rows of the same sentence."""
    left, right = one.astype(np.float64), other.astype(np.float64)
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return round(float(((left * right).sum(axis=1) / lengths).min()), 6)


if __name__ == "__main__":
    main()
