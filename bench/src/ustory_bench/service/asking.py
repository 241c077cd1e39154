"""Asking a served archive: how long an answer takes, and how much work it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np

from ustory_bench.service.running import Process


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request cost."""

    milliseconds: float
    """By the clock, from the request to the last byte."""
    work: float
    """Milliseconds that processors worked for it, in the process of the server."""
    size: int
    """Bytes of the answer, as they came over the wire."""
    answer: Any = None
    """What a JSON answer says, where it was asked for."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A client that keeps its connection, and the process that answers it."""

    client: httpx.Client
    process: Process

    def ask(self, path: str, *, keep: bool = False) -> Asked:
        """Return what a request cost; an error of the server is one of ours."""
        used, began = self.process.worked(), time.perf_counter()
        answer = self.client.get(path, follow_redirects=False)
        spent = time.perf_counter() - began
        work = self.process.worked() - used
        if answer.status_code >= 400:
            answer.raise_for_status()
        size = answer.num_bytes_downloaded
        said = answer.json() if keep else None
        return Asked(spent * 1e3, work * 1e3, size, said)

    def wait_for_map(self, patience: float = 300.0) -> None:
        """Wait until the map is drawn: a start draws it, and pages wait meanwhile."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            said = self.client.get("/api/map").json()
            if said["slide"] is not None and not said["behind"]:
                return
            time.sleep(1.0)
        raise RuntimeError(f"the map was not drawn in {patience:.0f} s")


def percentile(times: Sequence[float], share: float) -> float:
    """Return the time that this many of a hundred requests took at most.

    >>> percentile([1.0, 2.0, 3.0, 100.0], 50)
    2.0
    """
    return float(np.percentile(times, share, method="inverted_cdf"))
