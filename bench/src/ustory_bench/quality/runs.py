"""Runs of systems on the streams of quality, done by the runner of comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.progress import TimeRemainingColumn as Left

from ustory_bench.quality.streams import LABELLED, SETTINGS
from ustory_bench.runner.job_pool import RunConfig
from ustory_bench.runner.jobs import OK, Cell, Job
from ustory_bench.runner.prepared_streams import write_prepared
from ustory_bench.runner.score import PlainOutcome
from ustory_bench.runner.scoring import OUTCOME
from ustory_bench.runner.streams import Stream
from ustory_bench.runner.work import Work
from ustory_bench.system import Parameter, System


def run_of(system: System, stream: Stream, parameters: Mapping[str, Parameter]) -> Job:
    """Return the job that runs a system on a stream; the defaults are written out."""
    given = {**system.parameters, **parameters}
    arguments = {"system": system.name, "parameters": given}
    return Job(
        system=system.name,
        stream=stream.name,
        encoder=SETTINGS.encoder,
        task=OUTCOME,
        arguments=arguments,
    )


def run_config(cells: Path, streams: Sequence[Stream]) -> RunConfig:
    """Return how streams are run, each in its window; they lie beside the cells."""
    folder, encoder = cells.parent / "streams", SETTINGS.encoder
    material = {
        (each.name, encoder): write_prepared(each, encoder, SETTINGS.text, folder)
        for each in streams
    }
    return RunConfig(
        settings=SETTINGS,
        material=material,
        logs=cells.parent / "logs",
        windows={s.name: LABELLED[s.name] for s in streams if s.name in LABELLED},
    )


class Runs:
    """The runs of a comparison, finished and failed. Mutable: both grow.

    Finished ones are kept in the file `cells`; prepared streams and logs lie beside
    it.
    """

    def __init__(
        self, cells: Path, streams: Sequence[Stream], processes: int = 1
    ) -> None:
        self._bars = RunBar()
        self._work = Work(cells, run_config(cells, streams), processes, self._bars)
        self._ended: dict[str, Cell] = {}
        self.cells = self._work.cells
        """Also holds what a section measures by itself."""

    def do(self, jobs: Sequence[Job], title: str, console: Console) -> None:
        """Do the runs that are not finished; those that fail are kept as failed."""
        with closing(self._bars.shown(title, console)):
            for cell in self._work.do(jobs):
                self._ended[cell.job.key()] = cell

    def find(self, job: Job) -> PlainOutcome | None:
        """Return the scores of a run that was done, None if it failed."""
        cell = self._ended.get(job.key())
        return cell.result if cell is not None and cell.status == OK else None

    def failures(self) -> list[dict[str, Any]]:
        """Return the runs that failed, and why."""
        return [
            {
                "system": cell.job.system,
                "stream": cell.job.stream,
                "parameters": cell.job.arguments["parameters"],
                "reason": cell.reason,
            }
            for cell in self._ended.values()
            if cell.status != OK
        ]


class RunBar:
    """Shows how far the runs are, as a `Watch`. Mutable."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._title = ""

    def shown(self, title: str, console: Console) -> RunBar:
        """Show a bar with a title until `close` is called."""
        self._title = title
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            Left(),
            TextColumn("{task.fields[now]}"),
            console=console,
            transient=True,
        )
        self._bar.start()
        return self

    def close(self) -> None:
        """Hide the bar."""
        if self._bar is not None:
            self._bar.stop()

    def show(self, what: str) -> None:
        """Show nothing: streams are prepared before."""

    def begin(self, jobs: Mapping[str, int]) -> None:
        """Show how many runs are to be done."""
        if self._bar is not None:
            self._bar.add_task(self._title, total=sum(jobs.values()), now="")

    def done(self, cell: Cell) -> None:
        """Show that a run has ended."""
        if self._bar is not None:
            now = f"{cell.job.system} on {cell.job.stream}"
            self._bar.update(self._bar.task_ids[-1], advance=1, now=now)
