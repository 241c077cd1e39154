"""The mode with another encoder: on a stream, and where wording differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from ustory import load_encoder
from ustory.core.protocols import Encoder
from ustory.encode.cache import CachedEncoder
from ustory.sources.open import file_digest
from ustory_bench.quality.ablation_scores import DIGITS, against, scores_of
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import ROOT, SETTINGS, parts, place_of
from ustory_bench.runner.score import PlainOutcome, score_system
from ustory_bench.runner.streams import Stream, read_stream
from ustory_bench.system import find_system

ENCODERS = ("wordllama", "minilm")
STREAMS = ("newswarp-a",)
PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")
"""Invented events, each told in three articles that share few words."""
_CACHE = ROOT / "build" / "sentences.sqlite"


def encoders(streams: Sequence[Stream], runs: Runs, console: Console) -> dict[str, Any]:
    """Return the scores with each encoder, and their differences to the default's."""
    found: dict[str, Any] = {}
    for path in (PARAPHRASES, *filter(None, map(place_of, STREAMS))):
        cells = {}
        for name in ENCODERS:
            with console.status(f"{name} on {path.name}"):
                cells[name] = _cell(path, name, runs)
        default = cells[ENCODERS[0]]
        stream = path.name.partition(".")[0]
        found[stream] = {n: _scores(cell, default) for n, cell in cells.items()}
    return found


def _cell(path: Path, name: str, runs: Runs) -> PlainOutcome:
    key = f"encoder {name} {file_digest(path)}"
    cell = runs.cells.find(key)
    if cell is None:
        encoder = _encoder(name)
        settings = SETTINGS.with_({"encoder": name})
        stream = read_stream(path, parts()[0], encoder)
        system = find_system("ustory-links")
        cell = score_system(system, stream, settings, encoder).plain()
        cell["pairs"] = pair_precision(stream) if path == PARAPHRASES else None
        runs.cells.add(key, cell)
    return cell


def _encoder(name: str) -> Encoder:
    encoder = load_encoder(name)
    return encoder if name == SETTINGS.encoder else CachedEncoder(encoder, _CACHE)


def _scores(cell: PlainOutcome, default: PlainOutcome) -> dict[str, Any]:
    if cell["intervals"] is None:
        return {**scores_of(cell), "pairs": cell["pairs"]}
    return against(cell, default)


def pair_precision(stream: Stream) -> float:
    """Return the average precision of pairs, ranked by the cosine of their means.

    What an encoder knows of paraphrases by itself.
    """
    means = np.array([one.vectors.mean(axis=0) for one in stream.articles], float)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    rows, columns = np.triu_indices(len(means), 1)
    labels = np.array([one.article.label for one in stream.articles])
    same = labels[rows] == labels[columns]
    ranked = same[np.argsort(-(means @ means.T)[rows, columns], kind="stable")]
    hits = np.flatnonzero(ranked)
    return round(float(np.mean(np.arange(1, len(hits) + 1) / (hits + 1))), DIGITS)
