"""Systems side by side on several streams, at their defaults and tuned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from ustory.core.errors import ConfigError
from ustory.scores.significance import (
    block_length,
    bootstrap_difference,
    paired_t_test,
)
from ustory_bench.quality.runs import Runs, run_of
from ustory_bench.quality.streams import SETTINGS
from ustory_bench.runner.score import PROTOCOL, PlainOutcome, duration
from ustory_bench.runner.scoring import objective
from ustory_bench.runner.streams import Stream
from ustory_bench.runner.tuning import Parameters, configurations, tune
from ustory_bench.system import System

AGAINST = "ustory-auto"
"""What the other systems are held against."""


def at_defaults(
    systems: Sequence[System], streams: Sequence[Stream], runs: Runs, console: Console
) -> dict[str, Any]:
    """Return the cells by stream and system, each with its default parameters."""
    jobs = [
        run_of(one, stream, one.parameters) for stream in streams for one in systems
    ]
    runs.do(jobs, "defaults", console)
    return _tables({(j.stream, j.system): runs.find(j) for j in jobs})


def tuned(
    configs: Mapping[str, Sequence[Parameters]],
    systems: Sequence[System],
    streams: Sequence[Stream],
    runs: Runs,
    console: Console,
) -> dict[str, Any]:
    """Return the cells by stream and system, tuned on all the other streams.

    A configuration is run once on each stream: what is the test of one stream is
    the tuning of another.
    """
    if len(streams) < 2:
        raise ConfigError(
            "a reported stream is never tuned on, so tuning needs two streams or "
            "more; give another, or simulated ones with --simulated K"
        )
    runs.do(
        [run_of(s, t, c) for t in streams for s in systems for c in configs[s.name]],
        "tuning",
        console,
    )
    chosen: dict[tuple[str, str], PlainOutcome | None] = {}
    for reported in streams:
        for system in systems:
            best = _best(system, reported, streams, runs, configs[system.name])
            cell = (
                runs.find(run_of(system, reported, best)) if best is not None else None
            )
            chosen[reported.name, system.name] = cell
    return _tables(chosen)


def spread_of(systems: Sequence[System], limit: int) -> dict[str, Sequence[Parameters]]:
    """Return the configurations to try of each system."""
    return {system.name: configurations(system, limit) for system in systems}


def _best(
    system: System,
    reported: Stream,
    streams: Sequence[Stream],
    runs: Runs,
    configs: Sequence[Parameters],
) -> Parameters | None:
    """Return what the other streams choose, None if every configuration failed."""

    def measure(parameters: Parameters, stream: Stream) -> float:
        cell = runs.find(run_of(system, stream, parameters))
        return objective(cell["figures"][PROTOCOL]) if cell else math.nan

    others = [stream for stream in streams if stream is not reported]
    try:
        found = tune(system, others, measure, reported=reported, configs=configs)
    except ConfigError:
        return None  # its failures are listed one by one
    return found.parameters


def _tables(cells: Mapping[tuple[str, str], PlainOutcome | None]) -> dict[str, Any]:
    """Return the cells by stream and system, each held against the reference."""
    tables: dict[str, dict[str, Any]] = {}
    for (stream, system), cell in cells.items():
        if cell is None:
            continue
        kept = {k: v for k, v in cell.items() if k not in ("windows", "stream")}
        other = cells.get((stream, AGAINST))
        if other is not None and system != AGAINST:
            kept["difference"] = _difference(cell, other)
        tables.setdefault(stream, {})[system] = kept
    return tables


def _difference(cell: PlainOutcome, other: PlainOutcome) -> dict[str, float] | None:
    """Return windowed B3-F1 minus the reference's; None where windows are too few."""
    one, two = cell["windows"]["bcubed_f1"], other["windows"]["bcubed_f1"]
    block = block_length(duration(SETTINGS.window), duration(SETTINGS.slide))
    if len(one) < 2 * block:
        return None
    test, interval = paired_t_test(one, two), bootstrap_difference(one, two, block)
    found = {
        "mean": test.difference,
        "low": interval.low,
        "high": interval.high,
        "p": test.p_value,
    }
    return {name: round(value, 6) for name, value in found.items()}
