"""Computes the cells of a comparison: resumed, side by side, failures noted."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.progress import TimeRemainingColumn as Left

from ustory_bench.quality.streams import SETTINGS, parts
from ustory_bench.runner.cells import Cell, Cells, cell_key
from ustory_bench.runner.score import score_system
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System, find_system

_HELD: dict[str, Stream] = {}
"""The streams of this process, by name."""


@dataclass(frozen=True)
class Job:
    """A system with its parameters, and the stream to run it on."""

    system: System
    stream: Stream
    parameters: Mapping[str, Parameter]

    @property
    def plain(self) -> tuple[str, str, dict[str, Parameter]]:
        """What another process is told."""
        return self.system.name, self.stream.name, dict(self.parameters)

    @property
    def key(self) -> str:
        """What the finished cell is kept under."""
        return cell_key(self.system, self.stream, SETTINGS, self.parameters)


@dataclass
class Work:
    """The cells of a comparison, finished and failed. Mutable: both grow."""

    cells: Cells
    processes: int = 1
    failed: dict[str, str] = field(default_factory=dict)
    """Why a cell could not be computed, by key."""

    def find(self, job: Job) -> Cell | None:
        """Return a finished cell, None if it failed."""
        return self.cells.find(job.key)

    def do(self, jobs: Sequence[Job], title: str, console: Console) -> None:
        """Compute the cells that are not finished; what fails is noted."""
        waiting = {job.key: job for job in jobs if self.find(job) is None}
        with _bar(console) as bar:
            task = bar.add_task(title, total=len(jobs), now="")
            bar.update(task, completed=len(jobs) - len(waiting))
            for job, cell in self._computed(list(waiting.values())):
                if isinstance(cell, str):
                    self.failed[job.key] = cell
                else:
                    self.cells.add(job.key, cell)
                now = f"{job.system.name} on {job.stream.name}"
                bar.update(task, advance=1, now=now)

    def _computed(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Cell | str]]:
        """Yield each job with its cell, or with why there is none."""
        _hold({job.stream.name: job.stream for job in jobs})
        if self.processes == 1:
            for job in jobs:
                yield job, _compute(*job.plain)
            return
        with _pool(self.processes) as pool:
            asked = {pool.submit(_compute, *job.plain): job for job in jobs}
            for done in as_completed(asked):
                error = done.exception()
                yield asked[done], str(error) if error else done.result()


def _compute(
    system: str, stream: str, parameters: Mapping[str, Parameter]
) -> Cell | str:
    try:
        outcome = score_system(
            find_system(system), _HELD[stream], SETTINGS, parts()[1], parameters
        )
    except Exception as error:  # noqa: BLE001 - one failing system is not fatal
        return f"{type(error).__name__}: {error}"
    return outcome.plain()


def _hold(streams: Mapping[str, Stream]) -> None:
    _HELD.update(streams)


def _read(path: str) -> None:
    _hold(pickle.loads(Path(path).read_bytes()))


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that have the streams; none is prepared twice."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "streams"
        path.write_bytes(pickle.dumps(_HELD))
        with ProcessPoolExecutor(
            processes, get_context("spawn"), initializer=_read, initargs=(str(path),)
        ) as pool:
            yield pool


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Left(),
        TextColumn("{task.fields[now]}"),
        console=console,
        transient=True,
    )
