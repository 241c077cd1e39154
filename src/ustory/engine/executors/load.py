"""Chooses an executor by name."""

from __future__ import annotations

from ustory.core import registry
from ustory.core.protocols import Executor


def load_executor(
    name: str, workers: int | None = None, address: str | None = None
) -> Executor:
    """Return the executor registered as `name` (group `ustory.executors`).

    `workers` is how many work at the same time; None is as many as there is room
    for. `address` is of a Ray cluster that is already running.
    """
    executor: Executor = registry.find("executors", name)(workers, address)
    return executor
