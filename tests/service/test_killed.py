"""A service that is killed at any moment goes on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest

from tests.service.killing import (
    KILLED,
    Nursery,
    kill_at_random,
    nursery,
    run_to_end,
)
from tests.service.running import (
    demo_articles,
    ids_in,
    opened,
    outcome,
    seqs_in,
    tell_all,
)
from ustory.core.article import Article
from ustory.service.verify import replay
from ustory.sources.demo import demo_stream
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder
from ustory_bench.simulate import SimulationPlan, simulate

LARGE = SimulationPlan(articles=2_000, days=20, sentences=6, seed=7)


@pytest.fixture(scope="module")
def kids() -> Iterator[Nursery]:
    with nursery() as made:
        yield made


def expected(folder: Path, stream: Sequence[Article]) -> tuple[str, list[str]]:
    """Return what a run that nobody interrupts comes to, and its articles."""
    with opened(f"sqlite:///{folder}/uninterrupted.db") as store:
        tell_all(store, stream, batch=100)
        return outcome(store), ids_in(store)


def assert_same(url: str, wanted: tuple[str, list[str]]) -> None:
    with opened(url) as store:
        ids = ids_in(store)
        assert ids == wanted[1]  # none lost, none doubled, in their order
        assert seqs_in(store) == list(range(1, len(ids) + 1))
        assert outcome(store) == wanted[0]
        assert check(store) == []


def kill_often(
    kids: Nursery, url: str, stream: Path, kills: int, progress: int, seed: int
) -> None:
    chance = Random(seed)
    killed = sum(
        kill_at_random(kids, url, stream, chance, progress) for _ in range(kills)
    )
    assert killed == kills, "the stream is too short for so many kills"


def test_ten_kills_at_random_moments_change_nothing(
    url: str, kids: Nursery, tmp_path: Path
) -> None:
    kill_often(kids, url, demo_stream(), kills=10, progress=5, seed=1)
    run_to_end(url, demo_stream())
    assert_same(url, expected(tmp_path, demo_articles()))


def written(folder: Path, stream: Sequence[Article]) -> Path:
    path = folder / "stream.jsonl"
    rows = [
        {**asdict(each), "published_at": each.published_at.isoformat()}
        for each in stream
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_hundred_kills_over_two_thousand_articles_change_nothing(
    url: str, kids: Nursery, tmp_path: Path
) -> None:
    stream = list(simulate(LARGE))
    path = written(tmp_path, stream)
    kill_often(kids, url, path, kills=100, progress=4, seed=2)
    run_to_end(url, path)
    assert_same(url, expected(tmp_path, stream))


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_kill_before_and_after_every_commit_changes_nothing(
    url: str, kids: Nursery, tmp_path: Path
) -> None:
    stream = list(simulate(LARGE))
    path = written(tmp_path, stream)
    kills = 0
    while True:
        when = "before:1" if kills % 2 == 0 else "after:1"
        kids.start(url, path, {"USTORY_TEST_DIE": when})
        status, heard = kids.ended()
        if status != KILLED:
            assert status == 0
            assert heard[-1] == "finished"
            break
        kills += 1
    assert kills > 2 * 50  # 32 batches, 20 slides
    assert_same(url, expected(tmp_path, stream))
    with opened(url) as store:
        verdict = replay(store, encoder=TinyEncoder())
    assert verdict.problems == ()
    assert verdict.articles == len(stream)
