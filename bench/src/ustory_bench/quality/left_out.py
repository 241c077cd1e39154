"""Chooses the tuned constants of mode links with one stream left out each time.

`python -m ustory_bench.quality.left_out` tries some values around each constant of
`joining` and `prior`, takes those that are best on average on the other streams, and
says how they do on the stream that was left out. Runs are shared with
`ustory_bench.quality.constants`.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from rich.console import Console

from ustory_bench.quality.altered import Value, value_of
from ustory_bench.quality.constant_moves import TUNED, constants, grid
from ustory_bench.quality.constant_runs import ConstantRuns, summary
from ustory_bench.quality.constants import about, options, runs_of, write
from ustory_bench.quality.streams import ROOT

RESULTS = ROOT / "bench" / "results" / "left-out.json"

Choice = dict[tuple[str, str], Value]


def main(given: Sequence[str] | None = None) -> None:
    """Try all values, choose without each stream in turn, and write what that gives."""
    asked = options(__doc__ or "", RESULTS).parse_args(given)
    console = Console()
    runs, names = runs_of(asked, console), constants(*TUNED)
    runs.do([{}, *(each for key in names for each in _changes(*key))], "values")
    scores = {key: _tried(runs, *key) for key in names}
    choices = {stream: chosen(scores, stream) for stream in runs.streams}
    runs.do(list(choices.values()), "chosen values")
    found = {
        stream: {
            "chosen": {f"{m}.{n}": value for (m, n), value in choice.items()},
            "ours": summary(runs.find(stream, {})),
            "theirs": runs.against_ours(stream, choice),
        }
        for stream, choice in choices.items()
    }
    tried = {f"{module}.{name}": grid(module, name) for module, name in names}
    write(asked.results, {**about(runs), "tried": tried, "left_out": found})
    console.print(f"{asked.results.name}: written", markup=False)


def _changes(module: str, name: str) -> list[Choice]:
    """Return a change for each value of the grid but the constant's own."""
    own = value_of(module, name)
    return [{(module, name): value} for value in grid(module, name) if value != own]


def _tried(runs: ConstantRuns, module: str, name: str) -> dict[Value, dict[str, float]]:
    """Return what tuning looks at, by value and stream."""
    own, found = value_of(module, name), {}
    for value in grid(module, name):
        changes = {} if value == own else {(module, name): value}
        found[value] = {
            stream: fmean(summary(runs.find(stream, changes)).values())
            for stream in runs.streams
        }
    return found


def chosen(
    scores: dict[tuple[str, str], dict[Value, dict[str, float]]], left_out: str
) -> Choice:
    """Return the values that do best on average on all streams but one.

    Each constant by itself, the others as they are. Those that stay as they are
    are left out.
    """
    found = {}
    for (module, name), by_value in scores.items():
        means = {
            value: fmean(v for stream, v in streams.items() if stream != left_out)
            for value, streams in by_value.items()
        }
        own = value_of(module, name)
        best = max(means, key=lambda value: (means[value], value == own))
        if best != own:
            found[module, name] = best
    return found


if __name__ == "__main__":
    main()
