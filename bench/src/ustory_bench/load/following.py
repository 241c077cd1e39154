"""Follows a service while it is under load: which slides are done, and when."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any

from ustory.core.errors import UStoryError
from ustory_bench.load.client import Client

_TICK = 0.2


class Follower:
    """Asks a service how far it is, in a thread of its own. Mutable."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: dict[int, list[float]] = defaultdict(list)
        """When the articles of each slide that is not done were posted."""
        self._lock = Lock()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="follow", daemon=True)
        self._done = int(client.progress()["slide"] or 0)
        self.slides: list[float] = []
        """Seconds of each slide that was done meanwhile."""
        self.steps: dict[str, float] = defaultdict(float)
        self.told: list[float] = []
        """Seconds from posting an article to the end of its slide."""

    def __enter__(self) -> Follower:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def untold(self) -> int:
        """Articles whose slide is not done."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    def posted(self, receipts: Sequence[dict[str, Any]]) -> None:
        """Take note of articles that a service has taken in just now."""
        now = time.monotonic()
        with self._lock:
            for receipt in receipts:
                if receipt["outcome"] in ("new", "edited"):
                    self._waiting[receipt["slide"]].append(now)

    def wait(self, patience: float) -> None:
        """Wait until every slide that is over has been done.

        The open slide is not waited for: it ends when its time comes.
        """
        since, done = time.monotonic(), -1
        while time.monotonic() - since < patience:
            found = self._client.progress()
            if not found["behind"]:
                break
            if found["slide"] != done:
                since, done = time.monotonic(), found["slide"]
            time.sleep(_TICK)
        self._look()

    def _run(self) -> None:
        while not self._stop.wait(_TICK):
            try:
                self._look()
            except UStoryError:
                return  # who posts will hear of it, too

    def _look(self) -> None:
        done = int(self._client.progress()["slide"] or 0)
        if done <= self._done:
            return
        now = time.monotonic()
        slides = self._client.operations()["slides"]
        with self._lock:
            new = [each for each in slides if self._done < each["number"] <= done]
            self._done = max(self._done, done)
            for slide in new:
                self._note(slide["seconds"])
            for number in [one for one in self._waiting if one <= done]:
                self.told.extend(now - posted for posted in self._waiting.pop(number))

    def _note(self, seconds: dict[str, float]) -> None:
        self.slides.append(seconds.get("total", 0.0))
        for step, spent in seconds.items():
            if step != "total":
                self.steps[step] += spent
