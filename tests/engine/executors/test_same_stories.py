"""Whoever works on a slide, and whoever is lost at it: the stories are the same."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

import pytest

from tests.engine.executors.conftest import RAY, Make, kill
from tests.engine.executors.telling import SETTINGS, Told, invented, told
from ustory.core.protocols import Shared
from ustory.engine import paper_mode as blocks
from ustory.engine import prepare as prepare_blocks
from ustory.engine.executors.pool import WorkerPool
from ustory.engine.executors.processes import ProcessWorker
from ustory.links import pairing, word_candidates

DAYS = 10
STREAM = invented(240, DAYS)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ARTICLES_PER_BLOCK", 8)
    monkeypatch.setattr(prepare_blocks, "ARTICLES_PER_TASK", 4)
    monkeypatch.setattr(pairing, "SMALL", 20)
    monkeypatch.setattr(word_candidates, "SHARD", 5)


@cache
def inline(mode: str) -> Told:
    """Return what a stream comes to without any executor."""
    return told(STREAM, SETTINGS[mode], None)


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("name", ["processes", RAY])
@pytest.mark.parametrize("mode", SETTINGS)
def test_every_state_and_event_is_the_same(
    mode: str, name: str, workers: int, make: Make
) -> None:
    expected = inline(mode)
    assert len(expected) >= DAYS
    assert sum(len(events) for _, events in expected) > DAYS

    assert told(STREAM, SETTINGS[mode], make(name, workers)) == expected


@pytest.mark.parametrize("mode", SETTINGS)
def test_lost_workers_change_nothing(
    mode: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor, calls, run = make("processes", 2), count(1), ProcessWorker.run
    assert isinstance(executor, WorkerPool)
    before = executor.lost

    def deadly(self: ProcessWorker, work: bytes, shared: Shared[Any]) -> bytes:
        if next(calls) % 90 == 0:
            kill(self)
        return run(self, work, shared)

    monkeypatch.setattr(ProcessWorker, "run", deadly)
    assert told(STREAM, SETTINGS[mode], executor) == inline(mode)
    assert executor.lost > before
