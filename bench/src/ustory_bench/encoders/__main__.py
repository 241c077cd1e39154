"""Measures encoders on the CPU: python -m ustory_bench.encoders [STREAM] [--card FILE].

Writes results/encoders-speed.json; FILE, what `ustory_bench.encoders.cuda` wrote on a
machine with a card, goes into it too.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ustory.core.errors import MissingExtraError
from ustory.core.protocols import Encoder
from ustory.encode import CachedEncoder, load_encoder
from ustory.encode.minilm import MiniLmEncoder
from ustory_bench.encoders.pack import sentences
from ustory_bench.speed.machine import machine

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "encoders-speed.json"
STREAM = ROOT.parent / "shared" / "data" / "load-6000.jsonl.gz"
_MANY = {"wordllama": 50_000, "minilm": 200}


def main() -> None:
    """Measure, print and write down, keeping what is not measured anew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("stream", nargs="?", type=Path, default=STREAM)
    parser.add_argument("--card", type=Path)
    given = parser.parse_args()
    results: dict[str, Any] = {}
    if RESULTS.exists():
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    results["cpu"] = _cpu(sentences(given.stream), given.stream.name)
    if given.card is not None:
        results["card"] = json.loads(given.card.read_text(encoding="utf-8"))
    text = json.dumps(results, indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


def _cpu(texts: list[str], stream: str) -> dict[str, Any]:
    found: dict[str, Any] = {"machine": machine(), "stream": stream}
    for name, many in _MANY.items():
        try:
            encoder = load_encoder(name)
        except MissingExtraError as error:
            found[name] = str(error)
            continue
        encoder.encode(texts[:8])
        found[name] = _rates(encoder, texts[-many:])
        if isinstance(encoder, MiniLmEncoder):
            found[name]["runtime"] = encoder.runtime
    found["machine after"] = machine()
    return found


def _rates(encoder: Encoder, texts: Sequence[str]) -> dict[str, Any]:
    """Return sentences/s, by the clock and by the processors' time."""
    first = _timed(lambda: encoder.encode(texts))
    again = [_timed(lambda: encoder.encode(texts)) for _ in range(3)]
    with TemporaryDirectory() as folder:
        cached = CachedEncoder(encoder, Path(folder) / "cache.sqlite")
        cached.encode(texts[:1000])
        seen = min(_timed(lambda: cached.encode(texts[:1000])) for _ in range(5))
    wall, work = (min(part) for part in zip(*again, strict=True))
    return {
        "sentences": len(texts),
        "first time, sentences/s": round(len(texts) / first[0]),
        "best of 3 again, sentences/s": round(len(texts) / wall),
        "best of 3 again, sentences a second of processor": round(len(texts) / work),
        "from the cache, sentences/s": round(min(1000, len(texts)) / seen[0]),
    }


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start[0], time.process_time() - start[1]


if __name__ == "__main__":
    main()
