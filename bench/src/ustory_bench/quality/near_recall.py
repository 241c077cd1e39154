"""Neighbours by meaning that are found: python -m ustory_bench.quality.near_recall.

Real headlines and leads go through the encoder `multilingual`. In windows of several
sizes the nearest of a thousand new articles are looked for (`links/near_vectors.py`),
and held against those that a comparison with every older article finds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from ustory import load_encoder
from ustory.core.arrays import Indices, SentenceVectors
from ustory.core.threads import thread_count
from ustory.links.near_lists import Whole
from ustory.links.near_vectors import FLOOR, LIMITS, NearLimits, nearest, quantised
from ustory_bench.quality.streams import ROOT, place_of
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "near-recall.json"
SIZES = (10_000, 30_000, 60_000, 100_000)
NEW, MANY = 1_000, 5_000
"""New articles of a search, and of one more in the largest window."""
ENCODER = "multilingual"
PAIRS = ("pairs/semeval22-t8", "pairs/tg-2019")
"""Texts of many languages."""
HEADLINES = ("usnews-2018", "uci-5months")
LEAD = 200
"""Characters of a text that follow its title."""
SPLIT = 4
"""Groups that English is divided into, so that large groups have large others."""

_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class GistText:
    """Title and lead of an article."""

    text: str
    lang: str
    paired: bool
    """Whether it is one of a pair."""


def texts(count: int) -> list[GistText]:
    """Return distinct texts: those of pairs, then as many headlines as it takes."""
    pairs = (
        _gist(line[side], paired=True)
        for name in PAIRS
        for line in _lines(name)
        for side in "ab"
    )
    both = zip_longest(*(map(_gist, _lines(name)) for name in HEADLINES))
    headlines = (one for row in both for one in row if one is not None)
    found: dict[str, GistText] = {}
    for one in chain(pairs, headlines):
        if one.text:
            found.setdefault(one.text, one)
    if len(found) < count:
        raise SystemExit(f"{count:,} texts are needed, and {len(found):,} are here")
    return list(found.values())[:count]


def _lines(name: str) -> Iterator[Mapping[str, Any]]:
    path = place_of(name)
    if path is None:
        raise SystemExit(f"{name}.jsonl.gz is not here")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _gist(article: Mapping[str, Any], *, paired: bool = False) -> GistText:
    title = article["title"].strip()
    lead = " ".join(article["text"].split())[:LEAD]
    text = f"{title}. {lead}" if title and lead else title or lead
    return GistText(text, article["lang"] or "", paired)


def window(some: Sequence[GistText], rows: int) -> tuple[Indices, Indices]:
    """Return places of texts in an order drawn by lot, and the language of each.

    A tenth are texts of pairs, where there are so many, or more where there are too
    few headlines. Half of the new ones are.
    """
    draw, of_pairs = np.random.default_rng(0), sum(one.paired for one in some)
    mixed = draw.permutation(of_pairs)[: max(rows // 10, rows + of_pairs - len(some))]
    english = of_pairs + draw.permutation(rows - len(mixed))
    half = min(NEW // 2, len(mixed))
    older = np.concatenate([mixed[half:], english[NEW - half :]])
    new = np.concatenate([mixed[:half], english[: NEW - half]])
    places = np.concatenate([draw.permutation(older), draw.permutation(new)])
    names = sorted({one.lang for one in some})
    return places, np.array([names.index(some[place].lang) for place in places])


def split_english(some: Sequence[GistText], places: Indices, group: Indices) -> Indices:
    """Return groups in which English is several, by a hash of the text."""
    parts = [crc32(some[place].text.encode()) % SPLIT for place in places]
    english = np.array([some[place].lang == "en" for place in places])
    return np.where(english, group.max() + 1 + np.array(parts), group)


def measured(
    vectors: Whole, group: Indices, english: Indices, new: int = NEW
) -> dict[str, Any]:
    """Return recall, seconds of the processor and memory of one search."""
    rows = len(vectors)
    whole = NearLimits(near=LIMITS.near, read=rows)
    true, exact = _timed(vectors, group, new, whole)
    found, taken = _timed(vectors, group, new, LIMITS)
    hit = np.isin(true[0] * rows + true[1], found[0] * rows + found[1])
    own = group[true[0]] == group[true[1]]
    of_english = english[true[0]]
    kinds = {"own": own, "other": ~own, "not_english": ~own & ~of_english}
    tracemalloc.start()
    nearest(vectors, group, new)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        **{kind: _share(hit[those]) for kind, those in kinds.items()},
        "seconds": taken,
        "seconds_exact": exact,
        "memory_of_vectors": round(memory / vectors.nbytes, 2),
    }


def _share(hit: Any) -> dict[str, Any]:  # noqa: ANN401 - a mask
    return {"pairs": len(hit), "recall": round(float(hit.mean()), 4) if len(hit) else 1}


def _timed(
    vectors: Whole, group: Indices, new: int, limits: NearLimits
) -> tuple[tuple[Indices, Indices], dict[str, float]]:
    """Return pairs, and the least of three runs."""
    runs = []
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        found = nearest(vectors, group, new, limits)
        runs.append((time.process_time() - cpu, time.perf_counter() - wall))
    cpu, wall = (round(min(column), 3) for column in zip(*runs, strict=True))
    return found, {"processor": cpu, "wall": wall}


def encoded(some: Sequence[GistText], kept: Path | None) -> SentenceVectors:
    """Return the vectors of texts; those of an earlier run if a file has them."""
    said = np.array([crc32(one.text.encode()) for one in some], dtype=np.uint32)
    if kept is not None and kept.exists():
        with np.load(kept) as file:
            if np.array_equal(file["texts"], said):
                known: SentenceVectors = file["vectors"]
                return known
    encoder = load_encoder(ENCODER)
    starts = range(0, len(some), _AT_ONCE)
    parts = [encoder.encode([t.text for t in some[s : s + _AT_ONCE]]) for s in starts]
    vectors = np.concatenate(parts)
    if kept is not None:
        np.savez(kept, texts=said, vectors=vectors)
    return vectors


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every size, print a table and write the results."""
    asked, console = _arguments(arguments), Console()
    some = texts(max(asked.sizes))
    with console.status(f"encoding {len(some):,} texts"):
        vectors = quantised(encoded(some, asked.vectors))
    sizes: dict[str, Any] = {}
    with threadpool_limits(1):  # as in a slide
        for size in asked.sizes:
            places, group = window(some, size)
            english = np.array([some[place].lang == "en" for place in places])
            ways = {"language": group, "split": split_english(some, places, group)}
            sizes[str(size)] = {
                way: measured(vectors[places], each, english)
                for way, each in ways.items()
            }
        sizes[str(size)]["many"] = measured(vectors[places], group, english, MANY)
    found = {
        "machine": {**machine(), "threads": thread_count()},
        "encoder": ENCODER,
        "new": NEW,
        "many": MANY,
        "near": LIMITS.near,
        "read": LIMITS.read,
        "floor": FLOOR,
        "split": SPLIT,
        "sizes": sizes,
    }
    _show(console, found)
    asked.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {asked.results}", soft_wrap=True)


def _show(console: Console, found: Mapping[str, Any]) -> None:
    table = Table("articles", "groups", "own", "other", "not English", "CPU s", "exact")
    for size, ways in found["sizes"].items():
        for way, each in ways.items():
            kinds = ("own", "other", "not_english")
            recalls = (f"{each[kind]['recall']:.4f}" for kind in kinds)
            times = (each["seconds"], each["seconds_exact"])
            seconds = (f"{one['processor']:.2f}" for one in times)
            table.add_row(size, way, *recalls, *seconds)
    console.print(table)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=SIZES, help="of windows"
    )
    parser.add_argument("--vectors", type=Path, help="a file that keeps the vectors")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
