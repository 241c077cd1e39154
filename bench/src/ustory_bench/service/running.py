"""A real `ustory serve`, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SAYS = "ustory serves"
_PATIENCE = 60.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """A server that listens."""

    address: str
    number: int
    """The id of the process."""

    def cpu(self) -> float:
        """Return the seconds of processor time it has used."""
        stat = Path(f"/proc/{self.number}/stat").read_text(encoding="ascii")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / _TICKS

    def worked(self) -> float:
        """Return the seconds that its threads worked, counted in nanoseconds."""
        spent = 0
        for line in Path(f"/proc/{self.number}/task").glob("*/schedstat"):
            with suppress(FileNotFoundError, ProcessLookupError):  # it ended just now
                spent += int(line.read_text(encoding="ascii").split()[0])
        return spent / 1e9

    def answering(self) -> float:
        """Return the seconds that its first thread used, which serves all requests."""
        line = Path(f"/proc/{self.number}/task/{self.number}/schedstat")
        return int(line.read_text(encoding="ascii").split()[0]) / 1e9


@contextmanager
def serving(database: Path | str, arguments: Sequence[str]) -> Iterator[Process]:
    """Serve a database, and give where; stop as on Ctrl-C."""
    command = (
        *(str(Path(sys.executable).parent / "ustory"), "serve"),
        *("--database", str(database), "--port", "0", *arguments),
    )
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield Process(_address(process), process.pid)
    finally:
        process.terminate()
        process.wait(_PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(_SAYS):
            return line.split(" at ")[-1].strip()
    raise RuntimeError("the server did not start")
