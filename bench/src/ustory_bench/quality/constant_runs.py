"""Runs of mode links with other values of its constants; finished ones are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console

from ustory.scores.windows import evaluate_assignments
from ustory_bench.experiments.sweeps import block_of
from ustory_bench.quality.ablation_scores import DIGITS, difference
from ustory_bench.quality.altered import Changes, Value, altered
from ustory_bench.quality.runs import RunBar, run_config
from ustory_bench.quality.streams import SETTINGS, settings_of
from ustory_bench.runner.follow import follow, rows
from ustory_bench.runner.jobs import OK, Cell, Inputs, Job
from ustory_bench.runner.score import PROTOCOL, duration
from ustory_bench.runner.streams import Stream
from ustory_bench.runner.work import Work

METRIC = "bcubed_f1"
_TASK = "ustory_bench.quality.constant_runs:measure"


def measure(inputs: Inputs, *, changes: Mapping[str, Value]) -> dict[str, Any]:
    """Return B3-F1 with other values of constants, by windows and of the stream."""
    settings = inputs.settings
    with altered(_by_module(changes)) as online:
        engine = online.Engine(settings, inputs.encoder)
        told = list(follow(engine, inputs.stream.articles, settings))
    report = evaluate_assignments(
        inputs.stream.truth,
        rows(told),
        duration(settings.window),
        duration(settings.slide),
        PROTOCOL,
    )
    return {
        "windows": [getattr(each, METRIC) for _, each in report.windowed.windows],
        "whole_stream": getattr(report.whole_stream, METRIC),
    }


class ConstantRuns:
    """The scores of runs by stream and changed constants. Mutable: they grow."""

    def __init__(
        self, file: Path, streams: Sequence[Stream], workers: int, console: Console
    ) -> None:
        self.streams = {each.name: each for each in streams}
        self._console = console
        self._bars = RunBar()
        self._work = Work(file, run_config(file, streams), workers, self._bars)
        self._ended: dict[str, Cell] = {}

    def do(
        self, all_changes: Sequence[Changes], title: str, streams: Sequence[str] = ()
    ) -> None:
        """Make the runs that were not made yet, on some streams or on all."""
        names = streams or tuple(self.streams)
        jobs = [_job(name, each) for each in all_changes for name in names]
        with closing(self._bars.shown(title, self._console)):
            for cell in self._work.do(jobs):
                self._ended[cell.job.key()] = cell

    def find(self, stream: str, changes: Changes) -> dict[str, Any]:
        """Return the scores of a run that was made."""
        cell = self._ended[_job(stream, changes).key()]
        if cell.status != OK:
            raise SystemExit(f"error: {dict(changes)} on {stream}: {cell.reason}")
        found: dict[str, Any] = cell.result
        return found

    def against_ours(self, stream: str, changes: Changes) -> dict[str, Any]:
        """Return the scores of a run, and how far they are from those of the defaults.

        The interval is of the difference in the same windows, drawn by blocks of W.
        """
        ours, found = self.find(stream, {}), self.find(stream, changes)
        block = block_of(settings_of(stream))
        return {
            **summary(found),
            "less": difference(found["windows"], ours["windows"], block),
            "less_whole_stream": round(
                found["whole_stream"] - ours["whole_stream"], DIGITS
            ),
        }


def summary(run: Mapping[str, Any]) -> dict[str, float]:
    """Return the two scores of a run."""
    return {
        "windowed": round(sum(run["windows"]) / len(run["windows"]), DIGITS),
        "whole_stream": round(run["whole_stream"], DIGITS),
    }


def _job(stream: str, changes: Changes) -> Job:
    given = {f"{module}.{name}": value for (module, name), value in changes.items()}
    return Job(
        system="constants",
        stream=stream,
        encoder=SETTINGS.encoder,
        task=_TASK,
        arguments={"changes": given},
    )


def _by_module(changes: Mapping[str, Value]) -> Changes:
    return {
        (module, name): value
        for (module, _, name), value in (
            (key.rpartition("."), value) for key, value in changes.items()
        )
    }
