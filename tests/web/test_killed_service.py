"""The command itself, killed at random moments and started again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.postgres import PostgresServer
from tests.web.serving import Served
from ustory.sources.demo import demo_stream
from ustory.store import Store
from ustory.store.slides import digest
from ustory.store.upkeep import check


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/killed.db"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    yield server.empty()


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_the_command_goes_on_after_ten_kills(url: str, tmp_path: Path) -> None:
    articles = len(demo_stream().read_text("utf-8").splitlines())
    whole = f"sqlite:///{tmp_path}/whole.db"
    Served(demo_stream(), whole).finish(whole, articles)
    chance = Random(3)

    for _ in range(10):
        served = Served(demo_stream(), url)
        time.sleep(chance.random() * 1.5)
        served.kill()
    Served(demo_stream(), url).finish(url, articles)

    found, wanted = Store.open(url), Store.open(whole)
    try:
        with found.read() as one, wanted.read() as other:
            assert digest(one) == digest(other)
        assert check(found) == []
    finally:
        found.close()
        wanted.close()
