"""The jobs of a comparison: each is done once, and its cell is kept at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ustory_bench.runner.cells import Cells
from ustory_bench.runner.job_pool import JobPool, RunConfig
from ustory_bench.runner.jobs import MEMORY, MISSING, TIMEOUT, Cell, Job, Plain


class Watch(Protocol):
    """Shows the progress of a comparison."""

    def show(self, what: str) -> None:
        """Show what is done now, if that is not a job."""
        ...

    def begin(self, jobs: Mapping[str, int]) -> None:
        """Show how many jobs each system has that are not done."""
        ...

    def done(self, cell: Cell) -> None:
        """Show how a job ended."""
        ...


class Work:
    """Does jobs, and remembers how they ended. Mutable: the cells grow.

    Times and memory are those of the run that did the job. What failed is kept like
    what succeeded, unless another try may end otherwise: an extra that was
    missing, or a limit that was lower than it is now. What the systems named in
    `again` did before counts for nothing: their code is another now.
    """

    def __init__(
        self,
        file: Path,
        config: RunConfig,
        workers: int,
        watch: Watch,
        again: Collection[str] = (),
    ) -> None:
        self.cells = Cells(file)
        self._config = config
        self._workers = workers
        self._watch = watch
        self._again = frozenset(again)
        self._done: set[str] = set()
        """Keys of the jobs that were done here, not before."""

    def do(self, jobs: Sequence[Job]) -> list[Cell]:
        """Return how each job ended, in the order given; equal ones are done once."""
        keys = [self._key(job) for job in jobs]
        waiting = {
            key: job
            for key, job in zip(keys, jobs, strict=True)
            if self._found(key, job) is None
        }
        self._watch.begin(Counter(job.system for job in waiting.values()))
        named = {job.key(): key for key, job in waiting.items()}
        pool = JobPool(self._config, self._workers)
        done: dict[str, Cell] = {}
        with closing(pool.run(list(waiting.values()))) as cells:
            for cell in cells:
                key = named[cell.job.key()]
                self.cells.add(key, self._plain(cell))
                self._done.add(key)
                done[key] = cell
                self._watch.done(cell)
        found = (
            done.get(key) or self._found(key, job)
            for key, job in zip(keys, jobs, strict=True)
        )
        return [cell for cell in found if cell is not None]

    def _key(self, job: Job) -> str:
        own = self._config.settings_of(job)
        settings = json.dumps(own.to_dict(), sort_keys=True)
        prepared = self._config.material[job.stream, job.encoder]
        both = f"{prepared.fingerprint} {settings}"
        return job.key(sha256(both.encode()).hexdigest())

    def _found(self, key: str, job: Job) -> Cell | None:
        kept = self.cells.find(key)
        if kept is None or self._worth_another_try(kept):
            return None
        if job.system in self._again and key not in self._done:
            return None
        fields = {name: kept[name] for name in ("status", "reason", "result")}
        times = {name: kept[name] for name in ("seconds", "peak_mib")}
        return Cell(job=job, **fields, **times)

    def _worth_another_try(self, kept: Mapping[str, Plain]) -> bool:
        limit, memory = kept["limits"]
        if kept["status"] == TIMEOUT:
            return bool(limit < self._config.limit)
        if kept["status"] == MEMORY and memory is not None:
            return self._config.memory is None or bool(memory < self._config.memory)
        return bool(kept["status"] == MISSING)

    def _plain(self, cell: Cell) -> dict[str, Plain]:
        fields = ("status", "reason", "seconds", "peak_mib", "result")
        return {
            **{name: getattr(cell, name) for name in fields},
            "job": asdict(cell.job),
            "limits": [self._config.limit, self._config.memory],
        }
