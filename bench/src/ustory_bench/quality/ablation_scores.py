"""What the cells of ablations say: scores, intervals, differences over windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory.scores.significance import bootstrap_difference
from ustory_bench.experiments.sweeps import block_of
from ustory_bench.quality.streams import SETTINGS, settings_of
from ustory_bench.runner.score import PROTOCOL, PlainOutcome

METRICS = ("bcubed_f1", "ari")
DIGITS = 4
BLOCK = block_of(SETTINGS)
"""Windows that are as long as W, where a stream has no W of its own."""

_IDENTITY = (
    "continuity_switches_per_story",
    "continuity_unswitched",
    "continuity_fragments_per_story",
    "detection_by_second_article",
    "detection_share",
)


def scores_of(cell: PlainOutcome) -> dict[str, Any]:
    """Return the scores of a run, those over windows with their intervals."""
    figures, spans = cell["figures"][PROTOCOL], cell["intervals"] or {}
    return {
        "windowed": {m: _round(figures[f"windowed_{m}"]) for m in METRICS},
        "intervals": {m: [_round(end) for end in spans[m]] for m in spans},
        "whole_stream": {m: _round(figures[f"whole_stream_{m}"]) for m in METRICS},
    }


def against(cell: PlainOutcome, other: PlainOutcome) -> dict[str, Any]:
    """Return the scores of a run, and how far they are from another's.

    Intervals are of the differences in the same windows, drawn by blocks of W.
    """
    block = block_of(settings_of(cell["stream"]))
    return {
        **scores_of(cell),
        "less": {
            m: difference(cell["windows"][m], other["windows"][m], block)
            for m in METRICS
        },
        "less_whole_stream": {
            m: _round(
                cell["figures"][PROTOCOL][f"whole_stream_{m}"]
                - other["figures"][PROTOCOL][f"whole_stream_{m}"]
            )
            for m in METRICS
        },
    }


def difference(
    first: Sequence[float], second: Sequence[float], block: int = BLOCK
) -> dict[str, Any]:
    """Return mean(first) - mean(second) over the same windows, with its interval.

    `block` is how many windows are as long as W.
    """
    mean = sum(first) / len(first) - sum(second) / len(second)
    found: dict[str, Any] = {"mean": _round(mean), "interval": None}
    if len(first) >= 2 * block:
        span = bootstrap_difference(first, second, block)
        found["interval"] = [_round(span.low), _round(span.high)]
    return found


def identity_of(cell: PlainOutcome) -> dict[str, Any]:
    """Return whether stories kept their ids, and how soon they were found."""
    found: Mapping[str, Any] = cell["identity"]
    return {name: found[name] for name in _IDENTITY}


def _round(value: float) -> float:
    return round(value, DIGITS)
