"""Whether the cost of hostile input grows no faster than its length.

`check_growth` doubles an input up to a megabyte and fails on time that grows faster
than the length, on more than 200 MB of memory, and where another thread of the process
gets no turn for 100 ms. Time is CPU time, so that a busy machine changes nothing.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

SIZES: Sequence[int] = tuple(1 << bits for bits in range(15, 21))
"""Characters: 32 thousand to a million, each twice the one before."""

MEMORY = 200 << 20
"""Bytes that an input of a megabyte may take beside what was taken before."""

TURN = 0.1
"""CPU seconds for which another thread may be kept waiting."""

STEEPEST = 1.35
"""The most that the exponent of growth may be: n log n is allowed, n² is not."""

_NOISE = 0.02
"""CPU seconds below which a measurement says nothing about growth."""

_TRIES = 3
"""A measurement that is too high is repeated; the lowest counts."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an input of one size took."""

    size: int
    seconds: float
    turn: float
    """The longest time in which another thread got no turn, in CPU seconds."""
    memory: int


def check_growth(
    work: Callable[[Any], object],
    make: Callable[[int], Any],
    *,
    sizes: Sequence[int] = SIZES,
    clock: Callable[[], float] = time.process_time,
) -> list[Cost]:
    """Run `work` on `make(size)` for each size, and fail where the cost is too high.

    `clock` says how much time the work has taken; give one that counts what other
    processes do where the work is done there.
    """
    work(make(1 << 10))  # what is loaded or compiled once is not a cost of the input
    costs: list[Cost] = []
    for size in sizes:
        cost = _measured(work, make(size), size, clock)
        for _ in range(_TRIES - 1):
            if not _problem([*costs, cost]):
                break
            again = _measured(work, make(size), size, clock)
            cost = _lower(cost, again)
        costs.append(cost)
        problem = _problem(costs)
        if problem:
            raise AssertionError(problem)
    return costs


def _problem(costs: Sequence[Cost]) -> str | None:
    """Return what is wrong with the last of the costs, in words."""
    last = costs[-1]
    if last.memory > MEMORY:
        return f"{last.size:,} characters take {last.memory >> 20} MiB: {_table(costs)}"
    if last.turn > TURN:
        return (
            f"{last.size:,} characters keep other threads waiting for "
            f"{last.turn:.3f} s: {_table(costs)}"
        )
    steepness = exponent(costs)
    if steepness > STEEPEST:
        return f"time grows with the power {steepness:.2f}: {_table(costs)}"
    return None


def exponent(costs: Sequence[Cost]) -> float:
    """Return the power of the size that the time grows with, 0 while it is noise.

    The slope over up to three doublings, so that one slow measurement is no verdict.
    """
    loud = [cost for cost in costs if cost.seconds >= _NOISE][-4:]
    if len(loud) < 2 or loud[-1].seconds < 5 * _NOISE:
        return 0.0
    first, last = loud[0], loud[-1]
    return math.log(last.seconds / first.seconds) / math.log(last.size / first.size)


def _table(costs: Sequence[Cost]) -> str:
    return ", ".join(f"{cost.size:,}: {cost.seconds:.3f} s" for cost in costs)


def _lower(one: Cost, other: Cost) -> Cost:
    return Cost(
        one.size,
        min(one.seconds, other.seconds),
        min(one.turn, other.turn),
        min(one.memory, other.memory),
    )


def _measured(
    work: Callable[[Any], object], given: object, size: int, clock: Callable[[], float]
) -> Cost:
    gc.collect()
    before = _reset_peak()
    with Turns() as turns:
        began = clock()
        work(given)
        seconds = clock() - began
    return Cost(size, seconds, turns.longest, max(0, _status("VmHWM") - before))


class Turns:
    """A thread that wants a turn every millisecond, and notes how long it waited.

    The wait is counted in CPU seconds of the process: whoever holds the interpreter's
    lock uses them up, and other processes of the machine do not.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self._stop = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        last = time.process_time()
        while not self._stop.is_set():
            time.sleep(0.001)
            now = time.process_time()
            self.longest = max(self.longest, now - last)
            last = now

    def __enter__(self) -> Self:
        self._thread.start()
        time.sleep(0.005)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        time.sleep(0.005)
        self._stop.set()
        self._thread.join()


def _reset_peak() -> int:
    """Forget the highest memory of the process so far; return what it has now."""
    with suppress(OSError):  # elsewhere than on Linux memory is not measured
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> int:
    """Return a line of the kernel's account of this process, in bytes."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) << 10
    return 0
