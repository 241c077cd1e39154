"""Runs jobs side by side: one process for each system at a time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Sequence
from queue import SimpleQueue
from typing import TypeAlias

from ustory.experiments.contract import Cell, Job
from ustory.experiments.hand import Hand, Terms

_News: TypeAlias = Cell | BaseException


class Crew:
    """Hands that take one system after the other. Mutable while it runs."""

    def __init__(self, terms: Terms, workers: int) -> None:
        self._terms = terms
        self._workers = workers
        self._waiting: deque[Sequence[Job]] = deque()
        self._news: SimpleQueue[_News] = SimpleQueue()
        self._hands: list[Hand] = []
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, jobs: Sequence[Job]) -> Generator[Cell, None, None]:
        """Yield how each job ended, as they do; close it to end what is running.

        The jobs of a system share a process, stream by stream. Systems with many
        jobs go first, so that none is left to run alone at the end.
        """
        self._waiting = deque(_by_system(jobs))
        threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(min(self._workers, len(self._waiting)))
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in jobs:
                news = self._news.get()
                if isinstance(news, BaseException):
                    raise news
                yield news
        finally:
            self._stop()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        try:
            while (jobs := self._next()) is not None:
                self._serve(jobs)
        except BaseException as error:  # noqa: BLE001 - raised again where it is heard
            self._news.put(error)

    def _next(self) -> Sequence[Job] | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def _serve(self, jobs: Sequence[Job]) -> None:
        hand = Hand(jobs[0].system, self._terms)
        with self._lock:
            if self._stopped:
                return
            self._hands.append(hand)
        try:
            for job in jobs:
                cell = hand.do(job)
                if cell is None:
                    return  # it was stopped
                self._news.put(cell)
        finally:
            hand.close()

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            self._waiting.clear()
            for hand in self._hands:
                hand.stop()


def _by_system(jobs: Sequence[Job]) -> list[list[Job]]:
    found: dict[str, list[Job]] = {}
    for job in jobs:
        found.setdefault(job.system, []).append(job)
    for each in found.values():
        each.sort(key=lambda job: (job.stream, job.encoder))
    return sorted(found.values(), key=len, reverse=True)
