"""A cluster of several machines, one of which is lost in the middle of a slide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.engine.executors.telling import SETTINGS, invented, told
from ustory.core.protocols import Shared
from ustory.engine import paper_mode as blocks
from ustory.engine import prepare as prepare_blocks
from ustory.engine.executors.ray import RayExecutor, RayWorker
from ustory.links import pairing, word_candidates

pytestmark = pytest.mark.slow

STREAM = invented(240, 10)
STORE = 128 << 20
_AT = 40
"""The block at which a machine is lost."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ARTICLES_PER_BLOCK", 8)
    monkeypatch.setattr(prepare_blocks, "ARTICLES_PER_TASK", 4)
    monkeypatch.setattr(pairing, "SMALL", 20)
    monkeypatch.setattr(word_candidates, "SHARD", 5)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Give a cluster whose head has no room for all the workers."""
    utils = pytest.importorskip("ray.cluster_utils", reason="needs the extra ray")
    made = utils.Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "object_store_memory": STORE},
    )
    yield made
    made.shutdown()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", SETTINGS)
def test_a_lost_machine_changes_nothing(
    mode: str,
    cluster: Any,  # noqa: ANN401 - an untyped package's
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = cluster.add_node(num_cpus=2, object_store_memory=STORE)
    cluster.wait_for_nodes()
    executor, calls, original = RayExecutor(2, cluster.address), count(1), RayWorker.run

    def run(self: RayWorker, work: bytes, shared: Shared[Any]) -> bytes:
        if next(calls) == _AT:
            cluster.remove_node(machine, allow_graceful=False)
        return original(self, work, shared)

    monkeypatch.setattr(RayWorker, "run", run)
    try:
        found = told(STREAM, SETTINGS[mode], executor)
        lost = executor.lost
    finally:
        executor.close()

    assert found == told(STREAM, SETTINGS[mode], None)
    assert lost > 0, "no worker was on the machine"
