"""Measures what each constant of mode links does.

`python -m ustory_bench.quality.constants [MODULE...]` moves the constants of
`ustory.links` one at a time, halved and doubled where that means something, and writes
how far the scores of each labelled stream go. Finished runs are kept, by the code that
made them, so that it can be resumed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from ustory_bench.quality.ablations import code_digest
from ustory_bench.quality.altered import value_of
from ustory_bench.quality.constant_moves import MOVES, constants, moved
from ustory_bench.quality.constant_runs import ConstantRuns, summary
from ustory_bench.quality.streams import ROOT, SETTINGS, labelled, load_labelled
from ustory_bench.quality.streams import settings_of as settings
from ustory_bench.runner.score import PROTOCOL
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "constants.json"


def main(given: Sequence[str] | None = None) -> None:
    """Move the constants of some modules; what was written of others stays."""
    asked, console = _arguments(given), Console()
    runs = runs_of(asked, console)
    names = constants(*asked.modules)
    runs.do([{}, *({key: v} for key in names for v in moved(*key))], "constants")
    before = kept(asked.results).get("constants", {})
    found = {f"{key[0]}.{key[1]}": effect(runs, *key) for key in names}
    order = [f"{module}.{name}" for module, name in constants()]
    both = before | found
    write(
        asked.results,
        {
            **about(runs),
            "ours": {name: summary(runs.find(name, {})) for name in runs.streams},
            "constants": {name: both[name] for name in order if name in both},
        },
    )
    console.print(f"{asked.results.name}: written", markup=False)


def effect(runs: ConstantRuns, module: str, name: str) -> dict[str, Any]:
    """Return what each stream scores where a constant is moved, less what it has."""
    return {
        "value": value_of(module, name),
        "moved": [
            {
                "value": value,
                "streams": {
                    stream: runs.against_ours(stream, {(module, name): value})
                    for stream in runs.streams
                },
            }
            for value in moved(module, name)
        ],
    }


def runs_of(asked: argparse.Namespace, console: Console) -> ConstantRuns:
    """Return the runs of this code on all labelled streams that are here."""
    file = asked.cells or ROOT / "build" / f"constants-{code_digest()[:12]}.jsonl"
    with console.status("preparing the streams"):
        streams = [load_labelled(name) for name in labelled()]
    return ConstantRuns(file, streams, asked.workers, console)


def about(runs: ConstantRuns) -> dict[str, Any]:
    """Return what results say of how they were measured."""
    return {
        "machine": machine(),
        "protocol": PROTOCOL,
        "slide": SETTINGS.to_dict()["slide"],
        "streams": {
            name: {
                "articles": len(stream.articles),
                "window": settings(name).to_dict()["window"],
            }
            for name, stream in runs.streams.items()
        },
    }


def kept(path: Path) -> dict[str, Any]:
    """Return the results that were written before, empty if there are none."""
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(path: Path, results: Mapping[str, Any]) -> None:
    """Write results as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def options(description: str, results: Path) -> argparse.ArgumentParser:
    """Return a parser of the options that all such runs have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cells", type=Path, help="finished runs")
    parser.add_argument("--results", type=Path, default=results, help="what to write")
    parser.add_argument("--workers", type=int, default=1, help="runs side by side")
    return parser


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = options(__doc__ or "", RESULTS)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(MOVES)}")
    asked = parser.parse_args(given)
    unknown = [name for name in asked.modules if name not in MOVES]
    if unknown:
        parser.error(f"no constants of {unknown[0]}; give some of {[*MOVES]}")
    return asked


if __name__ == "__main__":
    main()
