"""The simplest executor: tasks run in this process, on its threads if it has any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Threads
from itertools import count, repeat

from ustory.core.errors import ConfigError
from ustory.core.protocols import Outcome, Shard, Shared, Value


class InlineExecutor:
    """Runs tasks in the process that calls it."""

    name = "inline"
    apart = False

    def __init__(
        self,
        workers: int | None = None,
        address: str | None = None,
        *,
        threads: Threads | None = None,
    ) -> None:
        if workers is not None or address is not None:
            raise ConfigError(
                "the executor inline runs in this process and takes neither a number "
                "of workers nor an address; leave them out, or choose --executor "
                "processes or ray"
            )
        self._threads = threads
        self._numbers = count()

    def share(self, slide: int, value: Value) -> Shared[Value]:
        """Return the value itself: tasks run where it is."""
        return Shared(slide, next(self._numbers), value)

    def map(
        self,
        task: Callable[[Shard, Value], Outcome],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> list[Outcome]:
        """Return the outcome of each shard, in order."""
        if self._threads is None:
            return [task(shard, shared.held) for shard in shards]
        return list(self._threads.map(task, shards, repeat(shared.held)))

    def close(self) -> None:
        """Do nothing: there are no workers to end."""
