"""`ustory serve`, started as a user does, and heard."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

COMMAND = [sys.executable, "-c", "from ustory.cli.main import cli; cli()"]
PATIENCE = 120.0


@dataclass
class UserRun:
    """A service that was started as a user does. Mutable: it is being heard."""

    process: subprocess.Popen[str]
    said: str = ""
    address: str = ""
    client: httpx.Client = field(default_factory=httpx.Client)

    def operations(self) -> dict[str, Any]:
        """Return the state of the service."""
        found: dict[str, Any] = self.client.get("/api/operations").json()
        return found

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, self.operations()
            time.sleep(0.1)

    def all_told(self) -> bool:
        """Return whether articles came in, and none waits."""
        found = self.operations()
        waits = found["queue"] or found["behind"]
        return bool(found["slides_done"] and not waits)

    def stop(self) -> str:
        """End it by Ctrl-C; return all that it said."""
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        self.said += self.process.communicate(timeout=PATIENCE)[0]
        assert self.process.returncode == 0, self.said
        return self.said


@contextmanager
def started(
    folder: Path, *arguments: str, encoder: str | None = "tiny"
) -> Iterator[UserRun]:
    """Start `ustory serve` in a folder; without an encoder, that of users."""
    chosen = () if encoder is None else ("--encoder", encoder)
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", *chosen, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    run = UserRun(process)
    try:
        assert process.stdout is not None
        while "Ctrl-C stops it" not in run.said and process.poll() is None:
            run.said += process.stdout.readline()
        found = re.search(r"http://[0-9.:]+", run.said)
        assert found is not None, run.said
        run.address = found[0]
        run.client = httpx.Client(base_url=run.address, timeout=30)
        yield run
    finally:
        process.kill()
        process.wait()
