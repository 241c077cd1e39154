"""Measures what workers bring: python -m ustory_bench.scale.executors.

A stream is run up to a large slide. The work of that slide for an executor is then
repeated by one worker and by two, in turns, including the sending of shared values.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from ustory import Discovery, Settings
from ustory.core.errors import MissingExtraError
from ustory.core.protocols import Executor, Outcome, Shard, Shared, Value
from ustory.engine.executors import InlineExecutor, load_executor
from ustory_bench.simulate import SimulationPlan, simulate
from ustory_bench.speed.machine import machine

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "executors.json"
STREAM = SimulationPlan(articles=60_000, days=8, sentences=12)
MODES = {"links": Settings(), "paper": Settings.paper()}
SCORING = {"links": "search", "paper": "judge_block"}
"""The task of each mode that compares articles with what is in the window."""
ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Job:
    """One call of `map`, to be repeated."""

    task: Callable[[Any, Any], Any]
    shards: Sequence[Any]
    value: Any


@dataclass
class Recorder(InlineExecutor):
    """Does the work, and remembers the largest job of each task."""

    jobs: dict[str, Job] = field(default_factory=dict)

    apart = True

    def __post_init__(self) -> None:
        """Begin like any other."""
        super().__init__()

    def map(
        self,
        task: Callable[[Shard, Value], Outcome],
        shards: Sequence[Shard],
        shared: Shared[Value],
    ) -> list[Outcome]:
        """Return the outcome of each shard, in order."""
        known = self.jobs.get(task.__name__)
        if known is None or len(shards) >= len(known.shards):
            self.jobs[task.__name__] = Job(task, shards, shared.held)
        return super().map(task, shards, shared)


def main() -> None:
    """Measure both modes, and write down what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=STREAM.articles)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    plan = SimulationPlan(
        articles=given.articles, days=STREAM.days, sentences=STREAM.sentences
    )
    found = {
        "machine": machine(),
        "load_before": round(os.getloadavg()[0], 1),
        "articles": plan.articles,
        "days": plan.days,
        "modes": {mode: _mode(mode, plan, given.rounds) for mode in MODES},
    }
    text = json.dumps(found, indent=2) + "\n"
    print(text)
    if plan == STREAM:
        RESULTS.write_text(text, encoding="utf-8")


def _mode(mode: str, plan: SimulationPlan, rounds: int) -> dict[str, Any]:
    jobs = _jobs(mode, plan)
    tasks = {"preparing": jobs["read_block"], "scoring": jobs[SCORING[mode]]}
    return {
        what: {"shards": len(job.shards)}
        | {name: _compared(name, job, rounds) for name in ("processes", "ray")}
        for what, job in tasks.items()
    }


def _jobs(mode: str, plan: SimulationPlan) -> dict[str, Job]:
    """Return the largest jobs of a stream, by task."""
    recorder = Recorder()
    discovery = Discovery(MODES[mode], executor=recorder)
    for results in (discovery.add(simulate(plan)), discovery.finish()):
        deque(results, maxlen=0)
    return recorder.jobs


def _compared(name: str, job: Job, rounds: int) -> dict[str, float] | None:
    """Return the seconds of a job by one worker and by two; None: not installed."""
    try:
        executors = [load_executor(name, workers) for workers in (1, 2)]
    except MissingExtraError:
        return None
    took: list[list[tuple[float, float]]] = [[], []]
    for executor in executors:  # what a worker does once only
        _timed(executor, job, 0)
    for number in range(1, rounds + 1):
        for executor, times in zip(executors, took, strict=True):
            times.append(_timed(executor, job, number))
    for executor in reversed(executors):
        executor.close()
    shared = median(share for times in took for share, _ in times)
    one, two = (median(work for _, work in times) for times in took)
    return {
        "share_seconds": round(shared, 3),
        "one_worker_seconds": round(one, 3),
        "two_workers_seconds": round(two, 3),
        "ratio": round(one / two, 2),
    }


def _timed(executor: Executor, job: Job, slide: int) -> tuple[float, float]:
    """Return the seconds of handing out, and of the work with all that is shared."""
    began = time.perf_counter()
    shared = executor.share(slide, job.value)
    ready = time.perf_counter()
    executor.map(job.task, job.shards, shared)
    return ready - began, time.perf_counter() - began


if __name__ == "__main__":
    main()
