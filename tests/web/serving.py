"""The command `ustory serve` in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

from ustory.store import Store
from ustory.store.articles import next_seq

_PATIENCE = 120.0
_COMMAND = "import sys; from ustory.cli.main import cli; cli()"


class Served:
    """`ustory serve` over the articles of a file, by their dates."""

    def __init__(self, stream: Path, url: str, *flags: str) -> None:
        self._process = subprocess.Popen(
            [
                sys.executable, "-c", _COMMAND, "serve", str(stream),
                "--as-of-articles", "--database", url, "--port", "0",
                "--encoder", "tiny", "--slide", "1d", *flags,
            ],
            env={**os.environ, "USTORY_API_KEYS": "a-key-for-the-test-alone"},
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert " at http://" in said, said
        self._address = said.rsplit(" at ", 1)[1].strip()

    @property
    def process_id(self) -> int:
        """The process it runs in."""
        return self._process.pid

    def kill(self) -> None:
        """End it as a power cut does."""
        self._process.send_signal(signal.SIGKILL)
        assert self._ended() == -signal.SIGKILL

    def finish(self, url: str, articles: int) -> None:
        """Wait until it has told all slides, the last too, then end it as a user."""
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
            ready = json.load(answer)
        store = Store.open(url)
        try:
            with store.read() as connection:
                read = next_seq(connection) > articles
                return read and (ready["behind"], ready["pending"]) == (0, 0)
        finally:
            store.close()
