"""The process of a share of jobs as the bench sees it: orders out, cells back."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ustory.core.settings import Settings
from ustory_bench.experiments.contract import FAILED, MEMORY, TIMEOUT, Cell, Job, Plain
from ustory_bench.experiments.runner.material import Prepared
from ustory_bench.experiments.runner.worker_main import BEGAN

_ALONE = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
"""One thread for each process: they run side by side, and are timed."""

_LOADING = 60.0  # seconds for a process to start and to load a stream

_COMMAND = ("-P", "-m", "ustory_bench.experiments.runner.worker_main")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all jobs of a bench share."""

    settings: Settings
    """W, S and the seed."""
    material: Mapping[tuple[str, str], Prepared]
    """By stream and encoder."""
    logs: Path
    """Folder of what the processes print."""
    limit: float = 600.0
    """Seconds that a job may take, loading left out."""
    memory: int | None = None
    """MiB that a job may take, what is loaded before left out; None is all."""

    def order(self, job: Job) -> Plain:
        """Return what a process is told of a job."""
        prepared = self.material[job.stream, job.encoder]
        settings = self.settings.with_({"encoder": job.encoder})
        return {
            "task": job.task,
            "arguments": dict(job.arguments),
            "memory": self.memory,
            "inputs": {
                "path": str(prepared.path),
                "settings": settings.to_dict(),
                "encoder": job.encoder,
                "dim": prepared.about["dim"],
            },
        }


@dataclass(slots=True)
class Hand:
    """Does jobs of one system on one stream, one after the other. Mutable.

    They share a process, and so the level that memory is measured from. One that a
    job brought down is replaced for the next job.
    """

    system: str
    terms: Terms
    _process: subprocess.Popen[str] | None = None
    _stopped: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def do(self, job: Job) -> Cell | None:
        """Return how a job ended; None if the hand was stopped before it did."""
        process = self._ready()
        if process is None:
            return None
        clock = _Clock(process, self.terms.limit)
        answer = _ask(process, self.terms.order(job), clock)
        clock.stop()
        if answer is None:
            process.wait()
            if self._stopped:
                return None
            answer = self._how_it_died(process, clock)
        if answer["status"] == MEMORY:
            self.close()  # what is left of it cannot be trusted with another job
        return Cell(job=job, **{"seconds": clock.seconds, **answer})

    def close(self) -> None:
        """Let the process go."""
        with self._lock:
            if self._process is not None:
                _end(self._process)
                self._process = None

    def stop(self) -> None:
        """End the process in the middle of its job; called from another thread."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _ready(self) -> subprocess.Popen[str] | None:
        with self._lock:
            if self._stopped:
                return None
            if self._process is not None and self._process.poll() is not None:
                _end(self._process)
                self._process = None
            self._process = self._process or _start(self._log())
            return self._process

    def _log(self) -> Path:
        plain = re.sub(r"[^\w.-]+", "-", self.system)[:80]
        return self.terms.logs / f"{plain}.log"

    def _how_it_died(self, process: subprocess.Popen[str], clock: _Clock) -> Plain:
        code = process.returncode
        if clock.over:
            limit = f"{self.terms.limit:g} s"
            told = f"out of time: it took longer than its limit of {limit}"
            return {"status": TIMEOUT, "reason": told}
        if code == -signal.SIGKILL:
            told = "its process was killed, most likely because memory ran out"
            return {"status": MEMORY, "reason": told}
        how = f"with {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        where = f"its last words are in {self._log().name}"
        return {"status": FAILED, "reason": f"its process ended {how}; {where}"}


class _Clock:
    """Kills a process that is late. Mutable: it begins again when the job does."""

    def __init__(self, process: subprocess.Popen[str], limit: float) -> None:
        self._process, self._limit = process, limit
        self.over = False
        self._timer = self._begun(limit + _LOADING)

    @property
    def seconds(self) -> float:
        """How long the job ran, for one that has no time of its own."""
        return round(self._ended - self._began, 3)

    def restart(self) -> None:
        """Give the whole limit again."""
        self._timer.cancel()
        self._timer = self._begun(self._limit)

    def stop(self) -> None:
        """Leave the process alone; one that was late is gone when this returns."""
        self._timer.cancel()
        self._ended = time.perf_counter()
        if self.over:
            self._process.wait()

    def _begun(self, seconds: float) -> threading.Timer:
        self._began = self._ended = time.perf_counter()
        timer = threading.Timer(seconds, self._kill)
        timer.daemon = True
        timer.start()
        return timer

    def _kill(self) -> None:
        self.over = True
        self._process.kill()


def _ask(process: subprocess.Popen[str], order: Plain, clock: _Clock) -> Plain | None:
    """Return the answer to an order; None if the process ended instead."""
    ears, mouth = process.stdin, process.stdout
    assert ears is not None
    assert mouth is not None
    try:
        ears.write(json.dumps(order) + "\n")
        ears.flush()
    except OSError:
        return None
    return _heard(mouth, clock)


def _heard(mouth: IO[str], clock: _Clock) -> Plain | None:
    for line in mouth:
        try:
            answer: dict[str, Any] = json.loads(line)
        except json.JSONDecodeError:
            return None  # torn: the process was ended while it spoke
        if answer["status"] != BEGAN:
            return answer
        clock.restart()
    return None


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # an order that nobody took
            if pipe is not None:
                pipe.close()


def _start(log: Path) -> subprocess.Popen[str]:
    """Start a process that imports what this one can, and does not hear Ctrl-C."""
    path = os.pathsep.join(part for part in sys.path if part)
    environment = {**os.environ, **dict.fromkeys(_ALONE, "1"), "PYTHONPATH": path}
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as errors:
        return subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
