"""The job that most tables share: one system on one stream, scored in full."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from ustory.core.spans import EPOCH
from ustory.scores.windows import evaluate_assignments
from ustory_bench.runner.follow import follow, rows
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.runner.score import PROTOCOL, Outcome, duration, score_system
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System, find_system

SCORE = "ustory_bench.runner.scoring:score"
TRIAL = "ustory_bench.runner.scoring:trial"
OUTCOME = "ustory_bench.runner.scoring:outcome"

METRICS = ("bcubed_f1", "ami", "ari")
"""The paper's three."""
PARTS = ("windowed", "whole_stream")
"""The mean over windows, and the last story of every article."""

Parameters: TypeAlias = Mapping[str, Parameter]

_LEAST = 2
_GIVEN_M = "min_articles"
_WARM = 40
_DIGITS = 6
_warmed: set[str] = set()


def score(
    inputs: Inputs, *, system: str, parameters: Parameters | None = None, seed: int = 0
) -> Plain:
    """Return all scores of a system, window by window too, and its seconds."""
    found = find_system(system)
    changes = with_minimum(found, inputs.stream, parameters or {})
    settings = inputs.settings.with_({"seed": seed})
    run = score_system(found, inputs.stream, settings, inputs.encoder, changes)
    return scores_of(run)


def outcome(inputs: Inputs, *, system: str, parameters: Parameters) -> Plain:
    """Return all that a comparison knows of a run, with the parameters as given."""
    found = find_system(system)
    run = score_system(
        found, inputs.stream, inputs.settings, inputs.encoder, parameters
    )
    return run.plain()


def score_arguments(
    system: str, changes: Parameters, seed: int = 0
) -> dict[str, Plain]:
    """Return the arguments of `score`, the same for all who ask for the same run."""
    asked = {"parameters": dict(changes)} if changes else {}
    return {"system": system, "seed": seed, **asked}


def trial(inputs: Inputs, *, system: str, parameters: Parameters) -> Plain:
    """Return how good a configuration is, and nothing else: what tuning asks."""
    found = find_system(system)
    changes = with_minimum(found, inputs.stream, parameters)
    discoverer = found.make(inputs.settings, inputs.encoder, **changes)
    slides = follow(discoverer, inputs.stream.articles, inputs.settings)
    report = evaluate_assignments(
        inputs.stream.truth,
        rows(slides),
        duration(inputs.settings.window),
        duration(inputs.settings.slide),
        PROTOCOL,
    )
    return {"value": round(objective(report.figures()), _DIGITS)}


def objective(figures: Mapping[str, float]) -> float:
    """Return what is maximised: windowed and whole-stream B3-F1 in equal parts.

    `figures` are those of a report under the `singleton` protocol.
    """
    return fmean((figures["windowed_bcubed_f1"], figures["whole_stream_bcubed_f1"]))


def warm(inputs: Inputs, arguments: Mapping[str, Plain]) -> None:
    """Load and compile what a system needs, so that no window waits for it."""
    name = arguments["system"]
    if name in _warmed:
        return
    _warmed.add(name)
    discoverer = find_system(name).make(inputs.settings, inputs.encoder)
    for _ in follow(discoverer, inputs.stream.articles[:_WARM], inputs.settings):
        pass


def paper_minimum(stream: Stream) -> int:
    """Return M as the paper sets it: articles of a story in a day, on average.

    The mean is over the days on which a story has an article, rounded, and at least
    2. It is read off the labels, which no other system is shown.
    """
    labelled = [one.article for one in stream.articles if one.article.label is not None]
    days = {(one.label, (one.published_at - EPOCH).days) for one in labelled}
    return max(_LEAST, round(len(labelled) / max(len(days), 1)))


def with_minimum(system: System, stream: Stream, changes: Parameters) -> Parameters:
    """Return parameters with the paper's M, where the system has one to be given."""
    if _GIVEN_M not in system.parameters or _GIVEN_M in changes:
        return changes
    return {**changes, _GIVEN_M: paper_minimum(stream)}


def without_minimum(parameters: Parameters) -> dict[str, Parameter]:
    """Return parameters that leave M to the labels."""
    return {name: each for name, each in parameters.items() if name != _GIVEN_M}


def scores_of(outcome: Outcome) -> Plain:
    """Return an outcome as JSON holds it, the scores of each window included."""
    singleton = outcome.report
    return {
        "parameters": dict(outcome.parameters),
        "figures": {p: _rounded(r.figures()) for p, r in outcome.reports.items()},
        "windows": {
            protocol: {
                name: _numbers([getattr(w, name) for _, w in report.windowed.windows])
                for name in METRICS
            }
            for protocol, report in outcome.reports.items()
        },
        "full_windows": singleton.full_windows,
        "found": singleton.whole_stream.found,
        "identity": {
            **_rounded(outcome.identity.figures()),
            "moved": outcome.identity.moved,
        },
        "slides": len(outcome.seconds),
        "seconds": round(sum(outcome.seconds), 4),
        "longest": round(max(outcome.seconds, default=0.0), 4),
    }


def _numbers(values: Sequence[float]) -> list[float]:
    return [round(value, _DIGITS) for value in values]


def _rounded(figures: Mapping[str, float]) -> dict[str, float | None]:
    return {
        name: None if math.isnan(value) else round(value, _DIGITS)
        for name, value in figures.items()
    }
