"""Chooses the tuned constants of mode links with one stream left out each time.

`python -m ustory_bench.quality.left_out` tries some values around each constant of
`joining` and `prior`. For each stream the changes that are best on average on the
others are made, one after the other, as long as these gain by them; then all of them
together meet the stream that was left out. Runs are shared with
`ustory_bench.quality.constants`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, TypeAlias

from rich.console import Console

from ustory_bench.quality.ablation_scores import DIGITS
from ustory_bench.quality.altered import Value, value_of
from ustory_bench.quality.constant_moves import TUNED, constants, grid
from ustory_bench.quality.constant_runs import ConstantRuns, summary
from ustory_bench.quality.constants import about, options, runs_of, write
from ustory_bench.quality.streams import ROOT

RESULTS = ROOT / "bench" / "results" / "left-out.json"
TRIES = 6
"""Changes that are tried together for each stream: the best of those alone."""

Choice: TypeAlias = dict[tuple[str, str], Value]
Objective: TypeAlias = Callable[[Choice, Sequence[str]], float]
"""The mean score of a choice on some streams."""


def main(given: Sequence[str] | None = None) -> None:
    """Try all values, choose without each stream in turn, and write what that gives."""
    asked = options(__doc__ or "", RESULTS).parse_args(given)
    console = Console()
    runs, names = runs_of(asked, console), constants(*TUNED)
    alone = [each for key in names for each in changes(*key)]
    runs.do([{}, *alone], "values")
    found = {stream: _without(stream, alone, runs) for stream in runs.streams}
    tried = {f"{module}.{name}": grid(module, name) for module, name in names}
    write(asked.results, {**about(runs), "tried": tried, "left_out": found})
    console.print(f"{asked.results.name}: written", markup=False)


def changes(module: str, name: str) -> list[Choice]:
    """Return a change for each value of the grid but the constant's own."""
    own = value_of(module, name)
    return [{(module, name): value} for value in grid(module, name) if value != own]


def chosen(
    alone: Sequence[Choice], streams: Sequence[str], objective: Objective
) -> Choice:
    """Return the changes by which some streams gain, none if they gain by none."""
    choice: Choice = {}
    best = objective(choice, streams)
    gains = {place: objective(each, streams) - best for place, each in enumerate(alone)}
    ranked = sorted(gains, key=lambda place: (-gains[place], place))
    tried: set[tuple[str, str]] = set()
    for place in ranked:
        (key,) = alone[place]
        if gains[place] <= 0 or len(tried) == TRIES:
            break
        if key in tried:
            continue  # a better value of the same constant was tried
        tried.add(key)
        more = {**choice, **alone[place]}
        score = objective(more, streams)
        if score > best:
            choice, best = more, score
    return choice


def _without(
    stream: str, alone: Sequence[Choice], runs: ConstantRuns
) -> dict[str, Any]:
    """Return what the other streams choose, and how they and this one do with it."""
    others = [name for name in runs.streams if name != stream]

    def objective(choice: Choice, streams: Sequence[str]) -> float:
        runs.do([choice], f"without {stream}", streams)
        return fmean(fmean(summary(runs.find(s, choice)).values()) for s in streams)

    choice = chosen(alone, others, objective)
    runs.do([choice], f"{stream} itself", [stream])
    gain = objective(choice, others) - objective({}, others)
    return {
        "chosen": {
            f"{module}.{name}": value for (module, name), value in choice.items()
        },
        "others_gain": round(gain, DIGITS),
        "ours": summary(runs.find(stream, {})),
        "theirs": runs.against_ours(stream, choice),
    }


if __name__ == "__main__":
    main()
