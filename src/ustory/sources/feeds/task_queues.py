"""Tasks in several queues at once, each with threads of its own and in its order."""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class QueuedTask(Generic[Result]):
    """Something to be done, and what came of it. Mutable.

    It has no result where it failed, or where no thread could be started for it.
    """

    url: str
    queue: str
    work: Callable[[], Result]
    """What fails here has no result: work must catch what it can."""
    order: tuple[Any, ...] = ()
    """What comes first in its queue: the lowest."""
    host: str | None = None
    """Whose tasks are done one at a time; None where that does not matter."""
    started: float | None = field(default=None, init=False)
    result: Result | None = field(default=None, init=False)


class TaskQueues(Generic[Result]):
    """Runs tasks in as many threads as their queue has. Mutable, for one thread.

    A queue whose tasks all hang keeps no other queue waiting.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sizes = sizes
        self._monotonic = monotonic
        self._waiting: dict[str, list[tuple[Any, int, QueuedTask[Result]]]] = {
            name: [] for name in sizes
        }
        self._held: dict[str, deque[QueuedTask[Result]]] = {}
        """Tasks for hosts that are busy."""
        self._running: dict[str, dict[str, QueuedTask[Result]]] = {n: {} for n in sizes}
        self._busy: set[str] = set()
        self._finished: SimpleQueue[QueuedTask[Result]] = SimpleQueue()
        self._numbers = count()

    def add(self, task: QueuedTask[Result]) -> None:
        """Put a task into its queue."""
        entry = (task.order, next(self._numbers), task)
        heapq.heappush(self._waiting[task.queue], entry)

    def next_finished(self, timeout: float | None = None) -> QueuedTask[Result] | None:
        """Start what can be started; return the next task that is done, if one is."""
        self._start()
        try:
            task = self._finished.get(timeout=timeout)
        except Empty:
            return None
        self._running[task.queue].pop(task.url, None)
        if task.host is not None:
            self._busy.discard(task.host)
            for held in self._held.pop(task.host, ()):
                self.add(held)
        return task

    def running(self, seconds: float) -> list[QueuedTask[Result]]:
        """Return the tasks that have been running for longer than so many seconds."""
        before = self._monotonic() - seconds
        tasks = [task for queue in self._running.values() for task in queue.values()]
        return [t for t in tasks if t.started is not None and t.started < before]

    def forget(self) -> None:
        """Start nothing more of what is waiting."""
        for queue in self._waiting.values():
            queue.clear()
        self._held.clear()

    def _start(self) -> None:
        for name, waiting in self._waiting.items():
            while waiting and len(self._running[name]) < self._sizes[name]:
                _, _, task = heapq.heappop(waiting)
                if task.host is not None and task.host in self._busy:
                    self._held.setdefault(task.host, deque()).append(task)
                    continue
                self._run(task)

    def _run(self, task: QueuedTask[Result]) -> None:
        if task.host is not None:
            self._busy.add(task.host)
        self._running[task.queue][task.url] = task
        task.started = self._monotonic()
        # A daemon: what hangs must not keep the process from ending.
        thread = Thread(target=self._work, args=(task,), name=task.queue, daemon=True)
        try:
            thread.start()
        except (RuntimeError, MemoryError):  # the machine has no more threads for us
            self._finished.put(task)

    def _work(self, task: QueuedTask[Result]) -> None:
        try:
            task.result = task.work()
        finally:
            self._finished.put(task)
