"""Forks the processes of the kill campaign, and says how they ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.service.killing import ROOT


class Nursery:
    """The process that forks the others. For one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Start it in a folder: what an upgrade backs up is written there."""
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        few = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.web.campaign_child"],
            cwd=folder,
            env={**os.environ, **few, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._ended: dict[int, int] = {}
        self._handles: dict[int, int] = {}
        assert self._line() == "ready"

    def start(self, work: str, **given: object) -> int:
        """Start a process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"work": work, "given": given}) + "\n")
        self._process.stdin.flush()
        while True:
            said = self._line().split()
            if said[0] == "process":
                process = int(said[1])
                with suppress(ProcessLookupError):  # it may be over already
                    self._handles[process] = os.pidfd_open(process)
                return process
            self._note(said)

    def end(self, process: int) -> int:
        """Wait for a process to end, and return how it did."""
        while process not in self._ended:
            self._note(self._line().split())
        if process in self._handles:
            os.close(self._handles.pop(process))
        return self._ended.pop(process)

    def kill(self, process: int) -> None:
        """Kill a process, unless it has ended, and no other in its place."""
        if process in self._handles:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handles[process], signal.SIGKILL)

    def run(self, work: str, **given: object) -> None:
        """Run a process that nobody kills."""
        status = self.end(self.start(work, **given))
        assert status == 0, f"{work} failed with {status}"

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def _note(self, said: Sequence[str]) -> None:
        assert said[0] == "ended", said
        self._ended[int(said[1])] = int(said[2])

    def _line(self) -> str:
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        assert said, "the nursery has died"
        return said
