"""The worker's side: does shards, and holds what was shared for the slide."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ustory.core.errors import WorkerError
from ustory.engine.executors.wire import unpack

_ONE = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
)
ALONE = {**dict.fromkeys(_ONE, "1"), "TOKENIZERS_PARALLELISM": "false"}
"""What a worker's environment says: one thread each, the workers are many."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An error as it travels; its class may want more than its arguments."""

    kind: type[BaseException]
    args: tuple[Any, ...]
    fields: dict[str, Any]
    told: str
    """The traceback, in words."""

    @classmethod
    def of(cls, error: BaseException) -> Raised:
        """Take an error down; one that cannot travel is told as a `WorkerError`."""
        told = "".join(traceback.format_exception(error))
        fields = {k: v for k, v in vars(error).items() if k != "__notes__"}
        raised = cls(type(error), error.args, fields, told)
        try:
            pickle.loads(pickle.dumps(raised))
        except Exception as other:  # noqa: BLE001 - pickle raises anything
            said = f"a worker raised {error!r}, which cannot be pickled: {other!r}"
            return cls(WorkerError, (said,), {}, told)
        return raised

    def error(self) -> BaseException:
        """Return the error as it was, with the worker's traceback as a note."""
        error = self.kind.__new__(self.kind, *self.args)
        vars(error).update(self.fields)
        error.add_note(f"in a worker:\n{self.told}")
        return error


class Workplace:
    """What a worker has at hand. It remembers nothing that matters: all is shared."""

    def __init__(self) -> None:
        self._slide: int | None = None
        self._values: dict[int, Any] = {}

    def do(
        self,
        work: Callable[[], tuple[Callable[[Any, Any], Any], Any]],
        stamp: tuple[int, int],
        fetch: Callable[[], memoryview],
    ) -> bytes:
        """Return the pickled outcome of a task with its shard, or what it raised.

        `fetch` is asked for the block that was shared under `stamp`, unless it is
        at hand.
        """
        try:
            task, shard = work()
            outcome = task(shard, self._value(stamp, fetch))
            return pickle.dumps((outcome, None), protocol=5)
        except Exception as error:  # noqa: BLE001 - the caller is told
            return pickle.dumps((None, Raised.of(error)), protocol=5)

    def _value(self, stamp: tuple[int, int], fetch: Callable[[], memoryview]) -> object:
        slide, number = stamp
        if slide != self._slide:
            self._values.clear()
            self._slide = slide
        if number not in self._values:
            self._values[number] = unpack(fetch())
        return self._values[number]
