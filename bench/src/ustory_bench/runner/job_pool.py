"""Runs jobs side by side: a system on a stream has a process of its own."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from loky import ProcessPoolExecutor
from loky.process_executor import ShutdownExecutorError

from ustory.core.settings import Settings
from ustory.engine.executors.worker_runtime import SINGLE_THREAD_ENV
from ustory_bench.runner.job_server import Order, do_step, prepare_process
from ustory_bench.runner.jobs import (
    FAILED,
    MEMORY,
    TIMEOUT,
    Cell,
    Job,
    Plain,
    settings_for,
)
from ustory_bench.runner.prepared_streams import Prepared

JOBS_PER_PROCESS = 20
"""Jobs that share a process: starting one takes seconds, and with larger shares the
processes would end at different times."""
_LOADING = 60.0
"""Seconds more that a process has to start and to load a stream."""
_ENV = {**SINGLE_THREAD_ENV, "PYTHONSAFEPATH": "1", "LOKY_MAX_MEMORY_LEAK_SIZE": "1e18"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """What all jobs of a comparison share."""

    settings: Settings
    """W, S and the seed."""
    material: Mapping[tuple[str, str], Prepared]
    """By stream and encoder."""
    logs: Path
    """Folder of what the processes print."""
    windows: Mapping[str, str] = field(default_factory=dict)
    """W of the streams that have one of their own, by name."""
    limit: float = 600.0
    """Seconds that a job may take, loading left out."""
    memory: int | None = None
    """MiB that a job may take, what is loaded before left out; None is all."""

    def order(self, job: Job) -> Order:
        """Return a job as a process is given it."""
        prepared = self.material[job.stream, job.encoder]
        return Order(
            task=job.task,
            arguments=dict(job.arguments),
            memory=self.memory,
            stream=prepared.path,
            settings=self.settings_of(job),
            dim=prepared.about["dim"],
        )

    def settings_of(self, job: Job) -> Settings:
        """Return the settings that a job is run with."""
        own = settings_for(job.stream, self.settings, self.windows)
        return own.with_({"encoder": job.encoder})


class JobProcess:
    """A process that does jobs of one system on one stream. Mutable.

    They share the process, and so the level that memory is measured from. A process
    that a job brought down is replaced for the next job.
    """

    def __init__(self, system: str, config: RunConfig) -> None:
        plain = re.sub(r"[^\w.-]+", "-", system)[:80]
        self._log = config.logs / f"{plain}.log"
        self._config = config
        self._pool: ProcessPoolExecutor | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def do(self, job: Job) -> Cell | None:
        """Return how a job ended; None if the process was stopped before it did."""
        order, limit = self._config.order(job), self._config.limit
        answer, began = None, 0.0
        for step, most in (("load", limit + _LOADING), ("warm", limit), ("run", limit)):
            began = time.perf_counter()
            try:
                answer = self._step(step, order, most)
            except ShutdownExecutorError:
                return None
            if answer is not None:
                break
        assert answer is not None  # the last step always has one
        seconds = round(time.perf_counter() - began, 3)
        return Cell(job=job, **{"seconds": seconds, **answer})

    def close(self, *, stop: bool = False) -> None:
        """End the process; with `stop`, whatever it does, and for good."""
        with self._lock:
            self._stopped = self._stopped or stop
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(kill_workers=True)

    def _step(self, step: str, order: Order, seconds: float) -> Plain | None:
        """Return how the job ended, None if it goes on with the next step."""
        try:
            future = self._running().submit(do_step, step, order)
            answer: Plain = future.result(seconds)
        except TimeoutError:
            self.close()
            limit = f"{self._config.limit:g} s"
            text = f"out of time: it took longer than its limit of {limit}"
            return {"status": TIMEOUT, "reason": text}
        except BrokenProcessPool as error:
            self.close()
            return self._died(str(error))
        if answer is not None and answer["status"] == MEMORY:
            self.close()  # what is left of it cannot be trusted with another job
        return answer

    def _running(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._stopped:
                raise ShutdownExecutorError
            if self._pool is None:
                self._log.parent.mkdir(parents=True, exist_ok=True)
                arguments = (self._log, os.getpid())
                self._pool = ProcessPoolExecutor(
                    1, env=_ENV, initializer=prepare_process, initargs=arguments
                )
            return self._pool

    def _died(self, text: str) -> Plain:
        """Return how a job ended whose process did; loky names signal or exit code."""
        found = re.search(r"\{(.+)\}", text)
        how = found[1] if found else "without a code"
        if how.startswith("SIGKILL"):
            reason = "its process was killed, most likely because memory ran out"
            return {"status": MEMORY, "reason": reason}
        reason = f"its process ended with {how}; its last output is in {self._log.name}"
        return {"status": FAILED, "reason": reason}


class JobPool:
    """Processes that take one share of the jobs after the other. Mutable."""

    def __init__(self, config: RunConfig, workers: int) -> None:
        self._config = config
        self._workers = workers
        self._waiting: deque[Sequence[Job]] = deque()
        self._ended: SimpleQueue[Cell | BaseException] = SimpleQueue()
        self._processes: list[JobProcess] = []
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, jobs: Sequence[Job]) -> Generator[Cell, None, None]:
        """Yield how each job ended, as they do; close it to end what is running.

        Jobs of a system on a stream share a process. The shares that should take
        longest start first, so that no process works alone at the end.
        """
        self._waiting = deque(self._shares(jobs))
        threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(min(self._workers, len(self._waiting)))
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in jobs:
                ended = self._ended.get()
                if isinstance(ended, BaseException):
                    raise ended
                yield ended
        finally:
            self._stop()
            for thread in threads:
                thread.join()

    def _shares(self, jobs: Sequence[Job]) -> list[Sequence[Job]]:
        """Return the jobs in shares of one process each, the longest first.

        They stay in the order given: the first of a system are those of its tables,
        which nothing that its figures leave behind may touch.
        """
        found: dict[tuple[str, str, str], list[Job]] = {}
        for job in jobs:
            found.setdefault((job.system, job.stream, job.encoder), []).append(job)
        shares = [
            each[start : start + JOBS_PER_PROCESS]
            for each in found.values()
            for start in range(0, len(each), JOBS_PER_PROCESS)
        ]
        return sorted(shares, key=self._expected, reverse=True)

    def _expected(self, share: Sequence[Job]) -> int:
        """Return how many articles a share has to read: all that is known of it."""
        first = share[0]
        prepared = self._config.material[first.stream, first.encoder]
        return len(share) * int(prepared.about["articles"])

    def _work(self) -> None:
        try:
            while (jobs := self._next()) is not None:
                self._do(jobs)
        except BaseException as error:  # noqa: BLE001 - `run` raises it
            self._ended.put(error)

    def _next(self) -> Sequence[Job] | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def _do(self, jobs: Sequence[Job]) -> None:
        process = JobProcess(jobs[0].system, self._config)
        with self._lock:
            if self._stopped:
                return
            self._processes.append(process)
        try:
            for job in jobs:
                cell = process.do(job)
                if cell is None:
                    return  # it was stopped
                self._ended.put(cell)
        finally:
            process.close()

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            self._waiting.clear()
            processes = list(self._processes)
        for process in processes:
            process.close(stop=True)
