"""Starts live services as processes, kills them, and starts them again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
KILLED = signal.SIGKILL


@dataclass
class Nursery:
    """The process that forks services, ready at once."""

    process: subprocess.Popen[str]

    def line(self) -> str:
        """Return the next thing that was said."""
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        assert said, "the nursery has died"
        return said

    def start(
        self, url: str, stream: Path, environment: Mapping[str, str] | None = None
    ) -> int:
        """Start a service and return its process."""
        assert self.process.stdin is not None
        request = [url, str(stream), dict(environment or {})]
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        said = self.line()
        while not said.startswith("process "):
            said = self.line()
        return int(said.split()[1])

    def ended(self) -> tuple[int, list[str]]:
        """Wait for the service to end; return how it did, and what it said."""
        heard = []
        while not (said := self.line()).startswith("ended "):
            heard.append(said)
        return int(said.split()[1]), heard


@contextmanager
def nursery() -> Iterator[Nursery]:
    """Have a process that forks services for a while."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.service.child"],
        cwd=ROOT,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        made = Nursery(process)
        assert made.line() == "ready"
        yield made
    finally:
        process.kill()
        process.communicate()


def run_to_end(url: str, stream: Path) -> None:
    """Run a service that nobody kills, in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.service.child", url, str(stream)],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith("finished\n")


def kill_at_random(
    kids: Nursery, url: str, stream: Path, chance: Random, progress: int
) -> bool:
    """Start a service and kill it at some moment; say whether it was still alive.

    The moment is some steps of progress after its start, and a little more.
    """
    process = kids.start(url, stream, {"USTORY_TEST_GAP": "0.002"})
    steps = chance.randrange(progress)
    said = ""
    for _ in range(steps):
        said = kids.line()
        if said.startswith("ended "):
            return False
    time.sleep(chance.random() * (0.05 if steps else 0.3))
    os.kill(process, KILLED)
    status, _ = kids.ended()
    return status == KILLED


def _environment() -> dict[str, str]:
    # one thread a process: forks are safe, and the machine is for all tests
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
