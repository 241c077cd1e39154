"""Runs jobs side by side: a system on a stream has a process of its own."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Sequence
from queue import SimpleQueue
from typing import TypeAlias

from ustory_bench.experiments.contract import Cell, Job
from ustory_bench.experiments.runner.worker_process import Hand, Terms

MOST = 20
"""Jobs that share a process: starting one takes seconds, and with larger shares the
hands would be done at different times."""

_News: TypeAlias = Cell | BaseException


class Crew:
    """Hands that take one share of the jobs after the other. Mutable while it runs."""

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

        Those of a system on a stream share a process, so many that it pays to start
        one. What should take longest goes first, so that no hand is left to work alone
        at the end.
        """
        self._waiting = deque(self._shares(jobs))
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

    def _shares(self, jobs: Sequence[Job]) -> list[Sequence[Job]]:
        """Return the jobs in shares of one process each, the longest first.

        They stay in the order given: the first of a system are those of its tables,
        which nothing that its figures leave behind may touch.
        """
        found: dict[tuple[str, str, str], list[Job]] = {}
        for job in jobs:
            found.setdefault((job.system, job.stream, job.encoder), []).append(job)
        shares = [
            each[start : start + MOST]
            for each in found.values()
            for start in range(0, len(each), MOST)
        ]
        return sorted(shares, key=self._expected, reverse=True)

    def _expected(self, share: Sequence[Job]) -> int:
        """Return how many articles a share has to read: all that is known of it."""
        first = share[0]
        prepared = self._terms.material[first.stream, first.encoder]
        return len(share) * int(prepared.about["articles"])

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
