"""Measures scale: python -m ustory_bench.scale [WHAT...]; goes on where it stopped."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from ustory_bench.scale.places import Place
from ustory_bench.scale.results import keep, kept, law, outcome
from ustory_bench.scale.running import carry_out, finished
from ustory_bench.scale.runs import LAWS, MODES, RUNS, Run

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "scale.json"
BUILD = ROOT / "build" / "scale"
_WHAT = ("laws", "hourly", "small", "million", "soak")


def main() -> None:
    """Run what was asked for, and write down what it came to."""
    given = _arguments()
    console = Console(highlight=False, soft_wrap=True)
    out = RESULTS if given.divide == 1 else given.folder / "scale.json"
    for what in given.what or _WHAT:
        if what == "soak":
            _soak(given, out, console)
            continue
        for run in _runs(what):
            found = _measured(run, given, console)
            keep(out, run.name, found)
            console.print(run.name, _short(found))
        _keep_laws(out)
    console.print(f"written to {out.relative_to(ROOT)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ustory_bench.scale", description=__doc__)
    parser.add_argument(
        "what", nargs="*", help=f"{', '.join(_WHAT)}, or one of {', '.join(RUNS)}"
    )
    parser.add_argument(
        "--modes",
        type=lambda text: tuple(text.split(",")),
        default=tuple(MODES),
        help="both take turns by default; one alone: links, or paper",
    )
    parser.add_argument(
        "--divide",
        type=int,
        default=1,
        help="a trial: so many times fewer articles, and results in the build folder",
    )
    given = parser.parse_args()
    unknown = {*given.what} - {*_WHAT, *RUNS} or {*given.modes} - {*MODES}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    trial = f"-trial-{given.divide}" if given.divide > 1 else ""
    given.folder = BUILD.with_name(BUILD.name + trial)
    return given


def _runs(what: str) -> Sequence[Run]:
    return LAWS if what == "laws" else [RUNS[what]]


def _measured(run: Run, given: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return what a run came to; what is finished is not run again."""
    asked = run if given.divide == 1 else run.divided(given.divide)
    asked = replace(asked, modes=given.modes)
    folder = given.folder / f"{run.name}-{'-'.join(given.modes)}"
    done = folder / "outcome.json"
    if done.exists() and finished(Place(folder), asked):
        found: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
        return found
    found = outcome(asked, carry_out(asked, folder, console.print))
    done.write_text(json.dumps(found), encoding="utf-8")
    return found


def _keep_laws(out: Path) -> None:
    """Fit the laws anew, once every window has been measured in a mode."""
    there = kept(out)
    runs = [there[run.name] for run in LAWS if run.name in there]
    if len(runs) < len(LAWS):
        return
    modes = [mode for mode in MODES if all(mode in run["modes"] for run in runs)]
    keep(out, "laws", {"modes": {mode: law(runs, mode) for mode in modes}})


def _soak(given: argparse.Namespace, out: Path, console: Console) -> None:
    from ustory_bench.scale.soak import measure  # noqa: PLC0415 - needs the service

    found = measure(given.folder / "soak", console.print, given.divide)
    keep(out, "soak", found)
    console.print("soak", {k: v for k, v in found.items() if k != "samples"})


def _short(found: dict[str, Any]) -> dict[str, Any]:
    """Return a result without its long lists."""
    return {
        mode: {name: one for name, one in each.items() if not isinstance(one, list)}
        for mode, each in found["modes"].items()
    } | {name: one for name, one in found.items() if name != "modes"}


if __name__ == "__main__":
    main()
