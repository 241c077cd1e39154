"""Where work is done: here, in other processes, or on a Ray cluster."""

from __future__ import annotations

from ustory.core import registry
from ustory.core.protocols import Executor
from ustory.engine.executors.inline import InlineExecutor

__all__ = ["InlineExecutor", "load_executor"]


def load_executor(
    name: str, workers: int | None = None, address: str | None = None
) -> Executor:
    """Return the executor registered as `name` (group `ustory.executors`).

    `workers` is the number of tasks that run at the same time; None means one per
    core. `address` is the address of a Ray cluster that is already running.
    """
    executor: Executor = registry.find("executors", name)(workers, address)
    return executor
