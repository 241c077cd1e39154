"""Bars for a bench on stderr: one for each system that has work to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from ustory.cli.console import remarks
from ustory_bench.runner.jobs import OK, Cell
from ustory_bench.runner.work import Watch


class Silent:
    """Shows nothing."""

    def show(self, what: str) -> None:
        """Say nothing."""

    def begin(self, jobs: Mapping[str, int]) -> None:
        """Say nothing."""

    def done(self, cell: Cell) -> None:
        """Say nothing."""


class Bars:
    """A bar for each system, and a line of what else goes on. Mutable."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._other: TaskID | None = None

    def show(self, what: str) -> None:
        """Show what is done now, where that is no job."""
        self._clear()
        self._other = self._progress.add_task(what, total=None, now="")

    def begin(self, jobs: Mapping[str, int]) -> None:
        """Show a bar for each system."""
        self._clear()
        for system, number in jobs.items():
            task = self._progress.add_task(system, total=number, now="")
            self._tasks[system] = task

    def done(self, cell: Cell) -> None:
        """Move the bar of the job's system on."""
        how = "" if cell.status == OK else f", {cell.status}"
        now = f"{cell.job.stream} {cell.seconds:.1f} s{how}"
        self._progress.update(self._tasks[cell.job.system], advance=1, now=now)

    def _clear(self) -> None:
        others = [] if self._other is None else [self._other]
        for task in (*self._tasks.values(), *others):
            self._progress.remove_task(task)
        self._tasks, self._other = {}, None


@contextmanager
def bench_bars(shown: bool | None) -> Iterator[Watch]:
    """Show how a bench goes on; `shown` None is: if stderr is a terminal."""
    if not (sys.stderr.isatty() if shown is None else shown):
        yield Silent()
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"),
        console=remarks(forced=shown is True),
        transient=True,
    )
    with progress:
        yield Bars(progress)
