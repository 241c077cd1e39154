"""Executors for tests; Ray is slow to start, so that each module starts it once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from ustory.core.errors import MissingExtraError
from ustory.core.protocols import Executor
from ustory.engine.executors import load_executor
from ustory.engine.executors.processes import ProcessWorker
from ustory.engine.executors.ray import RayExecutor, RayWorker

Make = Callable[[str, int], Executor]

RAY = pytest.param("ray", marks=pytest.mark.slow)
"""Not part of a plain set-up, and each actor takes seconds to start."""


@pytest.fixture(scope="module")
def ray_session() -> Iterator[None]:
    """Have a small Ray run while a module is tested."""
    try:
        first = RayExecutor(16, store=256 << 20)
    except MissingExtraError as error:
        pytest.skip(str(error))
    yield
    first.close()


@pytest.fixture(scope="module")
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Give what makes executors, each once, and let their workers go at the end."""
    made: dict[tuple[str, int], Executor] = {}

    def make_one(name: str, workers: int) -> Executor:
        if name == "ray":
            request.getfixturevalue("ray_session")
        if (name, workers) not in made:
            count = None if name == "inline" else workers
            made[name, workers] = load_executor(name, count)
        return made[name, workers]

    yield make_one
    for executor in made.values():
        executor.close()


def kill(worker: ProcessWorker | RayWorker) -> None:
    """Kill one worker, as a lack of memory would."""
    if isinstance(worker, RayWorker):
        worker.terminate()
        return
    for process in list(worker.pool._processes.values()):
        os.kill(process.pid, signal.SIGKILL)
