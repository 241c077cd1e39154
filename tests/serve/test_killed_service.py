"""The command itself, killed at random moments and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.request import urlopen

import pytest

from tests.store.databases import running_postgres
from ustory.demo import demo_stream
from ustory.store import Store
from ustory.store.articles import next_seq
from ustory.store.digest import digest
from ustory.store.upkeep import check

_PATIENCE = 120.0
_COMMAND = "import sys; from ustory.cli.main import cli; cli()"


class Served:
    """`ustory serve` over the demo's articles, by their dates."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [
                sys.executable, "-c", _COMMAND, "serve", str(demo_stream()),
                "--as-of-articles", "--database", url, "--port", "0",
                "--encoder", "tiny", "--slide", "1d",
            ],
            env={**os.environ, "USTORY_API_KEYS": "a-key-for-the-test-alone"},
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert " at http://" in said, said
        self._address = said.rsplit(" at ", 1)[1].strip()

    def kill(self) -> None:
        """End it as a power cut does."""
        self._process.send_signal(signal.SIGKILL)
        assert self._ended() == -signal.SIGKILL

    def finish(self, url: str, articles: int) -> None:
        """Wait until it has told all closed slides, then end it as a user does."""
        until = time.monotonic() + _PATIENCE
        while not self._told(url, articles):
            assert time.monotonic() < until, "it does not come to an end"
            time.sleep(0.1)
        self._process.send_signal(signal.SIGTERM)
        assert self._ended() == 0

    def _ended(self) -> int:
        self._process.communicate(timeout=_PATIENCE)
        return self._process.returncode

    def _told(self, url: str, articles: int) -> bool:
        with urlopen(f"{self._address}/readyz") as answer:
            behind = json.load(answer)["behind"]
        store = Store.open(url)
        try:
            with store.read() as connection:
                return bool(behind == 0 and next_seq(connection) > articles)
        finally:
            store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/killed.db"
        return
    with running_postgres() as server:
        yield server.empty()


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_the_command_goes_on_after_ten_kills(url: str, tmp_path: Path) -> None:
    articles = len(demo_stream().read_text("utf-8").splitlines())
    whole = f"sqlite:///{tmp_path}/whole.db"
    Served(whole).finish(whole, articles)
    chance = Random(3)

    for _ in range(10):
        served = Served(url)
        time.sleep(chance.random() * 1.5)
        served.kill()
    Served(url).finish(url, articles)

    found, wanted = Store.open(url), Store.open(whole)
    try:
        with found.read() as one, wanted.read() as other:
            assert digest(one) == digest(other)
        assert check(found) == []
    finally:
        found.close()
        wanted.close()
