"""Holds the default mode against its rivals in windows of several sizes.

`python -m ustory_bench.quality.window_sizes DIR` runs the baselines (not their PSE
variants) and the mode on all labelled streams; DIR is the folder of a report of
`ustory bench`, whose finished cells are used and added to.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from ustory.core.registry import names
from ustory.core.settings import Settings
from ustory_bench.commands.bench_bars import bench_bars
from ustory_bench.experiments.kinds import OTHER, WORDS, in_order, kind_of
from ustory_bench.experiments.sweeps import block_of
from ustory_bench.quality.ablation_jobs import MODE
from ustory_bench.quality.ablation_scores import DIGITS, difference
from ustory_bench.quality.constants import write
from ustory_bench.quality.streams import ROOT, SETTINGS, labelled, place_of
from ustory_bench.runner.input_streams import input_streams
from ustory_bench.runner.job_pool import RunConfig
from ustory_bench.runner.jobs import OK, Cell, Job
from ustory_bench.runner.prepared_streams import Prepared, prepare_all
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.runner.scoring import SCORE, score_arguments
from ustory_bench.runner.work import Watch, Work
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "windows.json"
SIZES = ("1d", "3d", "7d", "14d")
_METRIC = "bcubed_f1"


def main(given: Sequence[str] | None = None) -> None:
    """Run what is not yet run, and write how the mode stands at each size."""
    asked, console = _arguments(given), Console()
    folder = asked.folder / "work"
    with bench_bars(None) as watch:
        paths = [str(place_of(name)) for name in labelled()]
        streams, encoder = input_streams(paths), SETTINGS.encoder
        material = prepare_all(
            streams, [encoder], SETTINGS.text, folder / "streams", watch.show
        )
        found = {
            size: _at(size, material, asked, folder, watch) for size in asked.sizes
        }
    write(
        asked.results,
        {
            "machine": machine(),
            "protocol": PROTOCOL,
            "slide": SETTINGS.to_dict()["slide"],
            "mode": MODE,
            "rivals": rivals(),
            "sizes": found,
        },
    )
    console.print(f"{asked.results.name}: written", markup=False)


def rivals() -> list[str]:
    """Return the systems that the mode is held against, in the order of tables."""
    return in_order(
        name for name in names("systems") if kind_of(name) in (WORDS, OTHER)
    )


def _at(
    size: str,
    material: Mapping[tuple[str, str], Prepared],
    asked: argparse.Namespace,
    folder: Path,
    watch: Watch,
) -> dict[str, Any]:
    """Return the scores of all streams in windows of one size."""
    settings = Settings(mode="paper").with_({"window": size})
    config = RunConfig(
        settings=settings, material=material, logs=folder / "logs", limit=asked.limit
    )
    again = [MODE] if asked.again else []
    work = Work(folder / "cells.jsonl", config, asked.workers, watch, again)
    systems, streams = [MODE, *rivals()], [name for name, _ in material]
    cells = work.do([job(system, name) for name in streams for system in systems])
    block, width = block_of(settings), len(systems)
    return {
        name: standing(cells[place * width : (place + 1) * width], block)
        for place, name in enumerate(streams)
    }


def job(system: str, stream: str) -> Job:
    """Return the job that Table 2 asks for, so that it is done once."""
    return Job(
        system=system,
        stream=stream,
        encoder=SETTINGS.encoder,
        task=SCORE,
        arguments=score_arguments(system, {}),
    )


def standing(cells: Sequence[Cell], block: int) -> dict[str, Any]:
    """Return the scores on a stream; the first cell is held against the best other.

    The interval is of the difference in the same windows, drawn by blocks of W; None
    where there are fewer than two blocks.
    """
    ours, *others = cells
    if ours.status != OK:
        raise SystemExit(f"error: {MODE} on {ours.job.stream}: {ours.reason}")
    measured = [each for each in others if each.status == OK]
    best = {part: max(measured, key=lambda c: _score(c, part)) for part in _PARTS}
    windows = difference(_windows(ours), _windows(best["windowed"]), block)
    return {
        "windows": len(_windows(ours)),
        "full_windows": ours.result["full_windows"],
        "scores": {
            each.job.system: {part: _score(each, part) for part in _PARTS}
            for each in (ours, *measured)
        },
        "failed": {e.job.system: e.reason for e in others if e.status != OK},
        "best": {part: each.job.system for part, each in best.items()},
        "less": windows,
        "less_whole_stream": round(
            _score(ours, "whole_stream") - _score(best["whole_stream"], "whole_stream"),
            DIGITS,
        ),
    }


_PARTS = ("windowed", "whole_stream")


def _score(cell: Cell, part: str) -> float:
    found: float = cell.result["figures"][PROTOCOL][f"{part}_{_METRIC}"]
    return round(found, DIGITS)


def _windows(cell: Cell) -> Sequence[float]:
    found: Sequence[float] = cell.result["windows"][PROTOCOL][_METRIC]
    return found


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of a report of ustory bench")
    parser.add_argument(
        "--again", action="store_true", help="measure the mode anew: its code changed"
    )
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="of windows")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a job")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
