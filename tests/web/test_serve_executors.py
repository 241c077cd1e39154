"""A service whose slides others work on has the same database in the end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
from sqlalchemy import func, select

from tests.engine.executors.conftest import RAY
from tests.web.serving import Served
from ustory.core.errors import MissingExtraError
from ustory.engine.executors.ray import RayExecutor
from ustory.store import Store
from ustory.store.slides import digest
from ustory.store.tables import stories
from ustory_bench.simulate import SimulationPlan, simulate

T = TypeVar("T")
SHARED = Path("/dev/shm")
ARTICLES = 300
DAYS = 3
"""So that a slide has more articles than a block."""


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    # reprints of short texts may be alike to the letter, and the service keeps one
    plan = SimulationPlan(articles=ARTICLES, days=DAYS, sentences=4, copies=0.0)
    lines = [
        {
            "id": article.id,
            "published_at": article.published_at.isoformat(),
            "title": article.title,
            "text": article.text,
        }
        for article in simulate(plan)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["processes", RAY])
def test_the_database_is_the_same_whoever_works(
    name: str, news: Path, tmp_path: Path
) -> None:
    if name == "ray":
        try:
            RayExecutor(1).close()
        except MissingExtraError as error:
            pytest.skip(str(error))

    here = told(news, tmp_path / "here.db")
    there = told(news, tmp_path / "there.db", "--executor", name, "--workers", "2")

    assert there == here
    assert here.stories > DAYS


class Told(NamedTuple):
    """What a service leaves behind."""

    digest: str
    stories: int


def told(news: Path, database: Path, *flags: str) -> Told:
    """Have a service tell a stream to its end."""
    url = f"sqlite:///{database}"
    Served(news, url, *flags).finish(url, ARTICLES)
    store = Store.open(url)
    try:
        with store.read() as connection:
            count = connection.scalar(select(func.count()).select_from(stories))
            return Told(digest(connection), count or 0)
    finally:
        store.close()


@pytest.mark.timeout(300)
def test_nothing_outlives_a_service_that_was_killed(news: Path, tmp_path: Path) -> None:
    before = shared_now()
    served = Served(
        news, str(tmp_path / "a.db"), "--executor", "processes", "--workers", "2"
    )
    workers = until(lambda: children_of(served.process_id))
    served.kill()

    until(lambda: not [worker for worker in workers if is_alive(worker)])
    if SHARED.is_dir():  # it is emptied when the last worker has ended
        until(lambda: not [n for n in shared_now() - before if n.startswith("ustory")])


def shared_now() -> set[str]:
    return {path.name for path in SHARED.iterdir()} if SHARED.is_dir() else set()


def until(true: Callable[[], T]) -> T:
    """Wait for something to be so, and return it."""
    end = time.monotonic() + 60
    while not (found := true()):
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.1)
    return found


def children_of(process: int) -> list[int]:
    """Return the processes that a process started."""
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for each in found for child in each.read_text().split()]


def is_alive(process: int) -> bool:
    """Say whether a process still works: one that nobody waits for does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")
