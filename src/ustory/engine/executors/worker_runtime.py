"""The worker's side: runs tasks, and keeps the values that a slide shares."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ustory.core.errors import WorkerError
from ustory.core.threads import THREADS_VARIABLE
from ustory.engine.executors.packing import unpack

SINGLE_THREAD_ENV = {
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    THREADS_VARIABLE: "1",
}
"""Environment of a worker: one thread each, because there are many workers."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An error on its way to the driver, whatever its constructor needs."""

    kind: type[BaseException]
    args: tuple[Any, ...]
    fields: dict[str, Any]
    trace: str
    """The worker's traceback, as text."""

    @classmethod
    def of(cls, error: BaseException) -> Raised:
        """Record an error; one that cannot be pickled becomes a `WorkerError`."""
        trace = "".join(traceback.format_exception(error))
        fields = {k: v for k, v in vars(error).items() if k != "__notes__"}
        raised = cls(type(error), error.args, fields, trace)
        try:
            pickle.loads(pickle.dumps(raised))
        except Exception as other:  # noqa: BLE001 - pickle raises anything
            text = f"a worker raised {error!r}, which cannot be pickled: {other!r}"
            return cls(WorkerError, (text,), {}, trace)
        return raised

    def error(self) -> BaseException:
        """Return the original error, with the worker's traceback as a note."""
        error = self.kind.__new__(self.kind, *self.args)
        vars(error).update(self.fields)
        error.add_note(f"in a worker:\n{self.trace}")
        return error


class WorkerRuntime:
    """Runs tasks in a worker. Mutable: it caches the shared values of one slide."""

    def __init__(self) -> None:
        self._slide: int | None = None
        self._values: dict[int, Any] = {}

    def run(
        self, work: bytes, stamp: tuple[int, int], fetch: Callable[[], memoryview]
    ) -> bytes:
        """Return the pickled outcome of a task, or the error that it raised.

        `work` is the pickled task with its shard, `stamp` the slide and the number of
        the shared value; `fetch` returns its block and is called if it is not cached.
        """
        try:
            task, shard = pickle.loads(work)
            outcome = task(shard, self._value(stamp, fetch))
            return pickle.dumps((outcome, None), protocol=5)
        except Exception as error:  # noqa: BLE001 - the driver raises it
            return pickle.dumps((None, Raised.of(error)), protocol=5)

    def _value(self, stamp: tuple[int, int], fetch: Callable[[], memoryview]) -> object:
        slide, number = stamp
        if slide != self._slide:
            self._values.clear()
            self._slide = slide
        if number not in self._values:
            self._values[number] = unpack(fetch())
        return self._values[number]
