"""Hands shards to workers that may be lost, and gathers outcomes in order."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Lock
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from ustory.core.errors import ConfigError, WorkerError
from ustory.core.protocols import Outcome, Shard, Shared, Value
from ustory.engine.executors.wire import Packed

TRIES = 4
"""How often a shard is begun before the workers that it cost are no accident."""


class WorkerLostError(Exception):
    """A worker that ended while it was asked; never seen by callers of `map`."""


class Seat(Protocol):
    """One worker, as the driver sees it."""

    def ask(self, work: Packed, shared: Shared[Any]) -> memoryview:
        """Return the pickled outcome of a task; raise `WorkerLostError`."""
        ...

    def leave(self) -> None:
        """Let the worker go, whatever it does."""
        ...


SeatT = TypeVar("SeatT", bound=Seat)


class Pool(ABC, Generic[SeatT]):
    """Workers that are started when they are first needed, and replaced when lost.

    A thread sits by each of them, so that a busy worker keeps nobody waiting.
    """

    name: str
    apart = True

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise ConfigError(f"an executor needs a worker, got {workers}; ask for 1")
        self.workers = workers
        self.lost = 0
        """Workers that were replaced."""
        self._seats: dict[int, SeatT] = {}
        self._numbers = count()
        self._turn = Lock()

    @abstractmethod
    def _start(self) -> SeatT:
        """Start a worker."""

    @abstractmethod
    def _keep(self, slide: int, number: int, value: object) -> object:
        """Put a value where workers find it; return the place."""

    def share(self, slide: int, value: Value) -> Shared[Value]:
        """Give a value to all workers; it is good until another slide's is shared."""
        with self._turn:
            number = next(self._numbers)
            return Shared(slide, number, self._keep(slide, number, value))

    def map(
        self,
        task: Callable[[Shard, Value], Outcome],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> list[Outcome]:
        """Return the outcome of each shard, in order.

        A shard whose worker was lost is done again by another. Where tasks raise,
        the error of the first such shard is raised.
        """
        if not shards:
            return []
        with self._turn:
            errand = _Errand(task, shards, shared)
            many = range(min(self.workers, len(shards)))
            with ThreadPoolExecutor(len(many)) as threads:
                try:
                    list(threads.map(lambda place: self._serve(place, errand), many))
                except BaseException:  # an interrupt: what has begun is done, no more
                    errand.over = True
                    raise
            return errand.result()

    def close(self) -> None:
        """Let the workers go; it may be called twice."""
        with self._turn:
            while self._seats:
                _, seat = self._seats.popitem()
                seat.leave()

    def _let_go(self, place: int) -> None:
        if (seat := self._seats.pop(place, None)) is not None:
            seat.leave()

    def __enter__(self) -> Pool[SeatT]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        self.close()

    def _serve(self, place: int, errand: _Errand[Any, Any]) -> None:
        """Have the worker of one place do shards until there are no more."""
        while (number := errand.next()) is not None:
            try:
                errand.done(number, self._insist(place, errand, number))
            except Exception as error:  # noqa: BLE001 - told by the caller's thread
                errand.failed(number, error)

    def _insist(self, place: int, errand: _Errand[Any, Any], number: int) -> memoryview:
        """Return the outcome of a shard, by as many workers as it takes."""
        work = Packed.of((errand.task, errand.shards[number]))
        for _ in range(TRIES):
            try:
                seat = self._seats.get(place) or self._start()
                self._seats[place] = seat
                return seat.ask(work, errand.shared)
            except WorkerLostError:
                self._let_go(place)
                self.lost += 1
            except BaseException:  # the rest of its answer may still be on the way
                self._let_go(place)
                raise
        raise WorkerError(
            f"{TRIES} workers of the executor {self.name} were lost at the same block "
            "of articles; see whether memory is short, or try --executor inline"
        )


class _Errand(Generic[Shard, Value]):
    """One call of `map`. Mutable; the threads by the seats share it."""

    def __init__(
        self,
        task: Callable[[Shard, Value], Any],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> None:
        self.task = task
        self.shards = shards
        self.shared = shared
        self.over = False
        """Whether no further shard is to be begun."""
        self._outcomes: list[Any] = [None] * len(shards)
        self._errors: dict[int, BaseException] = {}
        self._left = iter(range(len(shards)))
        self._lock = Lock()

    def next(self) -> int | None:
        """Return the number of a shard that nobody has begun, None for none."""
        with self._lock:
            return None if self.over else next(self._left, None)

    def done(self, number: int, answer: memoryview) -> None:
        """Take down what a worker said about a shard."""
        outcome, raised = pickle.loads(answer)
        if raised is None:
            self._outcomes[number] = outcome
        else:
            self.failed(number, raised.error())

    def failed(self, number: int, error: BaseException) -> None:
        """Take down an error; shards before it are begun, those behind need not be."""
        with self._lock:
            self._errors[number] = error
            self.over = True

    def result(self) -> list[Any]:
        """Return all outcomes, or raise the first shard's error."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return self._outcomes
