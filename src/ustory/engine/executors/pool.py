"""Gives shards to workers that may be lost, and returns the outcomes in order."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Lock
from typing import Any, Protocol, Self

from ustory.core.errors import ConfigError, WorkerError
from ustory.core.protocols import Outcome, Shard, Shared, Value

TRIES = 4
"""Workers that may be lost at one shard before the run gives up."""


class WorkerLostError(Exception):
    """A worker that ended while it ran a task; callers of `map` never see it."""


class Worker(Protocol):
    """One worker, as the driver sees it."""

    def run(self, work: bytes, shared: Shared[Any]) -> bytes:
        """Return the answer of `WorkerRuntime.run`; raise `WorkerLostError`."""
        ...

    def terminate(self) -> None:
        """End the worker."""
        ...


class WorkerPool(ABC):
    """Workers that are started when they are first needed, and replaced when lost.

    Each worker runs one task at a time, so a worker that is lost costs one task, and
    it is known which.
    """

    name: str
    apart = True

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise ConfigError(f"an executor needs a worker, got {workers}; ask for 1")
        self.workers = workers
        self.lost = 0
        """Workers that were replaced."""
        self._idle: list[Worker] = []
        self._numbers = count()
        self._lock = Lock()
        """Held during `share`, `map` and `close`."""
        self._counting = Lock()

    @abstractmethod
    def _start(self) -> Worker:
        """Start a worker."""

    @abstractmethod
    def _store(self, slide: int, number: int, value: object) -> object:
        """Store a value for the workers; return its place."""

    def share(self, slide: int, value: Value) -> Shared[Value]:
        """Give a value to all workers; it is kept until another slide shares one."""
        with self._lock:
            number = next(self._numbers)
            return Shared(slide, number, self._store(slide, number, value))

    def map(
        self,
        task: Callable[[Shard, Value], Outcome],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> list[Outcome]:
        """Return the outcome of each shard, in order.

        If a worker is lost, another one runs its shard again. If tasks raise, the
        error of the first such shard is raised, and no further shard is started.
        """
        if not shards:
            return []
        with self._lock, ThreadPoolExecutor(min(self.workers, len(shards))) as threads:
            futures = [
                threads.submit(self._run, task, shard, shared) for shard in shards
            ]
            try:
                return [future.result() for future in futures]
            except BaseException:  # an interrupt, too: running shards are finished
                for future in futures:
                    future.cancel()
                raise

    def close(self) -> None:
        """End the workers; it may be called twice."""
        with self._lock:
            while self._idle:
                self._idle.pop().terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(
        self,
        task: Callable[[Shard, Value], Outcome],
        shard: Shard,
        shared: Shared[Value],
    ) -> Outcome:
        """Return the outcome of a shard, or raise what its task raised."""
        work = pickle.dumps((task, shard), protocol=5)
        outcome, raised = pickle.loads(self._answer(work, shared))
        if raised is not None:
            raise raised.error()
        answer: Outcome = outcome
        return answer

    def _answer(self, work: bytes, shared: Shared[Any]) -> bytes:
        """Return a worker's answer, from as many workers as `TRIES` allows."""
        for _ in range(TRIES):
            try:
                worker = self._idle.pop()
            except IndexError:  # at most one thread per worker gets here
                worker = self._start()
            try:
                answer = worker.run(work, shared)
            except WorkerLostError:
                worker.terminate()
                with self._counting:
                    self.lost += 1
            except BaseException:  # its answer may still be on the way
                worker.terminate()
                raise
            else:
                self._idle.append(worker)
                return answer
        raise WorkerError(
            f"{TRIES} workers of the executor {self.name} were lost at the same block "
            "of articles; check whether memory is short, or try --executor inline"
        )
