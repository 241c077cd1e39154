"""Real streams told by several workers, some of which are killed at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock, Timer
from typing import Any

import pytest

from tests.engine.executors.conftest import Make, kill
from tests.engine.executors.telling import Told, invented, read, told
from ustory import Article, Settings
from ustory.core.protocols import Shared
from ustory.engine import paper_mode as blocks
from ustory.engine import prepare as prepare_blocks
from ustory.engine.executors.pool import WorkerPool
from ustory.engine.executors.processes import ProcessWorker
from ustory.engine.executors.ray import RayWorker
from ustory.links import pairing, word_candidates

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[4] / "shared" / "data"
MODES = {"links": Settings(), "paper": Settings.paper()}
RISK = 0.02
"""How likely a worker is killed at a block."""
STREAMS = ("newswarp-a", "load-6000", "simulated")


@cache
def stream(name: str) -> list[Article]:
    """Return a stream by name."""
    if name == "simulated":
        return invented(6_000, 12)
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"needs the stream {name} in ../shared/data")
    return list(read(str(path)))


@cache
def inline(name: str, mode: str) -> Told:
    """Return what a stream comes to in this process."""
    return told(stream(name), MODES[mode], None)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have slides of some twenty articles spread, too."""
    monkeypatch.setattr(prepare_blocks, "ARTICLES_PER_TASK", 8)
    monkeypatch.setattr(blocks, "ARTICLES_PER_BLOCK", 16)
    monkeypatch.setattr(pairing, "SMALL", 50)
    monkeypatch.setattr(word_candidates, "SHARD", 8)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("name", ["processes", "ray"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", STREAMS)
def test_killed_workers_change_no_state_and_no_event(
    kind: str,
    mode: str,
    name: str,
    workers: int,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executor = make(name, workers)
    assert isinstance(executor, WorkerPool)
    expected, before = inline(kind, mode), executor.lost
    strike_at_random(monkeypatch)

    assert told(stream(kind), MODES[mode], executor) == expected
    assert executor.lost > before


def strike_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have workers killed now and then, while they work or just after."""
    dice, lock = random.Random(8), Lock()

    def deadly(kind: type[ProcessWorker] | type[RayWorker]) -> Callable[..., bytes]:
        original = kind.run

        def run(self: Any, work: bytes, shared: Shared[Any]) -> bytes:  # noqa: ANN401
            with lock:
                struck, pause = dice.random() < RISK, dice.uniform(0.0, 0.03)
            if not struck:
                return original(self, work, shared)
            killer = Timer(pause, kill, [self])
            killer.start()
            try:
                return original(self, work, shared)
            finally:
                killer.join()

        return run

    for kind in (ProcessWorker, RayWorker):
        monkeypatch.setattr(kind, "run", deadly(kind))
