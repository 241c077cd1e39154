"""Compares all systems: python -m ustory_bench.quality.rivals STREAM… [--tune]."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from ustory import UStoryError
from ustory.core.errors import ConfigError
from ustory.core.registry import names
from ustory_bench.quality.comparison import (
    AGAINST,
    at_defaults,
    spread_of,
    tuned,
)
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import ROOT, SETTINGS, load, load_simulated, parts
from ustory_bench.quality.tables import page
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.runner.streams import Stream, read_stream
from ustory_bench.runner.tuning import MAX_CONFIGURATIONS, OBJECTIVE
from ustory_bench.speed.machine import machine
from ustory_bench.system import System, find_system

RESULTS = ROOT / "bench" / "results" / "rivals.json"
CELLS = ROOT / "build" / "rivals.jsonl"
"""Finished cells; no part of the project."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is not yet run, and write the results and their page."""
    asked, console = _arguments(arguments), Console()
    try:
        results = compare(asked, console)
    except UStoryError as error:
        raise SystemExit(f"error: {error}") from error
    write(asked.results, results)
    for each in results["failed"]:
        told = f"failed: {json.dumps(each, ensure_ascii=False)}"
        console.print(told, soft_wrap=True, markup=False)
    said = f"written to {asked.results}, and as a page beside it"
    console.print(said, soft_wrap=True, markup=False)


def compare(asked: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return what was measured, and what could not be."""
    streams = streams_of(asked.streams, asked.simulated, console)
    systems, missing = systems_of(asked.systems)
    if asked.fresh:
        asked.cells.unlink(missing_ok=True)
    runs = Runs(asked.cells, streams, asked.processes)
    results: dict[str, Any] = {
        "machine": machine(),
        "protocol": PROTOCOL,
        "settings": SETTINGS.to_dict(),
        "against": AGAINST,
        "streams": {stream.name: _about(stream) for stream in streams},
        "default": at_defaults(systems, streams, runs, console),
    }
    if asked.tune:
        configs = spread_of(systems, asked.limit)
        results["objective"] = OBJECTIVE
        results["tried"] = {name: len(each) for name, each in configs.items()}
        results["tuned"] = tuned(configs, systems, streams, runs, console)
    results["failed"] = [*missing, *runs.failures()]
    return results


def streams_of(given: Sequence[str], extra: int, console: Console) -> list[Stream]:
    """Return the streams: known names, files, and `extra` simulated ones."""
    with console.status("preparing the streams"):
        found = [
            read_stream(Path(each), *parts()) if Path(each).is_file() else load(each)
            for each in given
        ]
        found += [load_simulated(seed) for seed in range(1, extra + 1)]
    (name, times), *_ = Counter(stream.name for stream in found).most_common()
    if times > 1:
        raise ConfigError(f"{times} streams are named {name!r}; rename all but one")
    return found


def systems_of(asked: Sequence[str]) -> tuple[list[System], list[dict[str, str]]]:
    """Return the systems, and why some of them cannot be had."""
    found, missing = [], []
    for name in asked or names("systems"):
        try:
            system = find_system(name)
            system.make(SETTINGS, parts()[1])
        except ConfigError:
            raise  # a name that is not registered
        except Exception as error:  # noqa: BLE001 - one failing system is not fatal
            missing.append({"system": name, "reason": str(error)})
        else:
            found.append(system)
    return found, missing


def write(path: Path, results: Mapping[str, Any]) -> None:
    """Write the results, and beside them the page that people read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(results), encoding="utf-8")


def _about(stream: Stream) -> dict[str, Any]:
    stories = {story for story in stream.truth.values() if story is not None}
    return {
        "sha256": stream.sha256,
        "articles": len(stream.articles),
        "stories": len(stories),
    }


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("streams", nargs="*", help="known names, or labelled files")
    parser.add_argument("--systems", nargs="+", default=[], help="all by default")
    parser.add_argument("--tune", action="store_true", help="tune on other streams")
    parser.add_argument(
        "--limit",
        type=int,
        default=MAX_CONFIGURATIONS,
        help="configurations tried when tuning",
    )
    parser.add_argument(
        "--simulated", type=int, default=0, metavar="K", help="add K simulated streams"
    )
    parser.add_argument("--processes", type=int, default=1, help="run side by side")
    parser.add_argument("--fresh", action="store_true", help="forget finished cells")
    parser.add_argument("--cells", type=Path, default=CELLS, help="finished cells")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    asked = parser.parse_args(given)
    if not asked.streams and not asked.simulated:
        parser.error("give a labelled stream, or --simulated K")
    return asked


if __name__ == "__main__":
    main()
