"""Measures what each part of mode links adds: python -m ustory_bench.quality.ablations.

Finished runs are kept, by the code that made them, so that it can be resumed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import ustory
import ustory_bench
from ustory_bench.quality.ablation_encoders import encoders
from ustory_bench.quality.ablation_errors import errors
from ustory_bench.quality.ablation_jobs import ALL, paper_jobs, part_jobs
from ustory_bench.quality.ablation_scores import against, identity_of
from ustory_bench.quality.ablation_slides import slides
from ustory_bench.quality.ablation_speed import speed
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import (
    ROOT,
    SETTINGS,
    labelled,
    load_labelled,
    load_simulated,
    settings_of,
)
from ustory_bench.runner.score import PROTOCOL, PlainOutcome
from ustory_bench.runner.scoring import objective
from ustory_bench.runner.streams import Stream
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "ablations.json"
SEEDS = (1, 2)
"""Of the simulated streams."""
_CODE = {
    ustory: ("links", "engine", "scores"),
    ustory_bench: ("runner", "baselines"),
}
"""Folders whose code decides the scores, by package."""


def parts(streams: Sequence[Stream], runs: Runs, console: Console) -> dict[str, Any]:
    """Return the mode with each set of its parts, against the mode with all."""
    found: dict[str, Any] = {}
    for stream in streams:
        jobs = part_jobs(stream)
        runs.do(list(jobs.values()), f"parts on {stream.name}", console)
        cells = {name: _cell(runs.find(job)) for name, job in jobs.items()}
        found[stream.name] = {n: against(c, cells[ALL]) for n, c in cells.items()}
    return found


def ids(streams: Sequence[Stream], runs: Runs, console: Console) -> dict[str, Any]:
    """Return how ids last in the mode, and in the paper's preset at its best M."""
    found = {}
    for stream in streams:
        jobs, mode = paper_jobs(stream), part_jobs(stream)[ALL]
        runs.do([mode, *jobs.values()], f"paper on {stream.name}", console)
        cells = {m: _cell(runs.find(job)) for m, job in jobs.items()}
        best = max(cells, key=lambda m: objective(cells[m]["figures"][PROTOCOL]))
        found[stream.name] = {
            "mode": identity_of(_cell(runs.find(mode))),
            "paper": identity_of(cells[best]),
            "min_articles": best,
        }
    return found


Section = Callable[[Sequence[Stream], Runs, Console], dict[str, Any]]
SECTIONS: Mapping[str, Section] = {
    "parts": parts,
    "ids": ids,
    "slides": slides,
    "speed": speed,
    "encoders": encoders,
    "errors": errors,
}
"""What is measured, in order."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sections that are asked for; the others stay as they were."""
    asked, console = _arguments(arguments), Console()
    code = code_digest()
    cells = asked.cells or ROOT / "build" / f"ablations-{code[:12]}.jsonl"
    with console.status("preparing the streams"):
        streams = [load_labelled(name) for name in labelled()]
        streams += [load_simulated(seed) for seed in SEEDS]
    runs = Runs(cells, streams)
    for name in asked.sections or SECTIONS:
        section = SECTIONS[name](streams, runs, console)
        _write(asked.results, {name: section}, code, streams)
        console.print(f"{name}: written", markup=False)
    for each in runs.failures():
        console.print(f"failed: {json.dumps(each)}", soft_wrap=True, markup=False)


def code_digest() -> str:
    """Return a SHA-256 of the code that scores depend on."""
    digest = hashlib.sha256()
    for package, folders in _CODE.items():
        for folder in folders:
            for path in sorted(Path(package.__path__[0], folder).rglob("*.py")):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _write(
    path: Path, sections: Mapping[str, Any], code: str, streams: Sequence[Stream]
) -> None:
    """Write sections into the results, each with the code it was measured with."""
    before: dict[str, Any] = (
        json.loads(path.read_text("utf-8")) if path.exists() else {}
    )
    made = before.get("code", {}) | dict.fromkeys(sections, code)
    results = {
        "machine": machine(),
        "protocol": PROTOCOL,
        "settings": SETTINGS.to_dict(),
        "streams": {
            each.name: {
                "articles": len(each.articles),
                "window": settings_of(each.name).to_dict()["window"],
            }
            for each in streams
        },
    }
    results["code"] = {name: made[name] for name in SECTIONS if name in made}
    both = {**before, **sections}
    results |= {name: both[name] for name in SECTIONS if name in both}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _cell(found: PlainOutcome | None) -> PlainOutcome:
    if found is None:
        raise SystemExit("error: a run of our own failed, and nothing compares to it")
    return found


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--cells", type=Path, help="finished runs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    asked = parser.parse_args(given)
    unknown = [name for name in asked.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section named {unknown[0]}; give some of {[*SECTIONS]}")
    return asked


if __name__ == "__main__":
    main()
