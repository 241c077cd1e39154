"""Where the processes of a run leave what the others wait for."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_TICK = 0.05


class Place:
    """The folder of a run. What is in it outlives every process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def rows_path(self, who: str) -> Path:
        """Return the file with a line for each slide that somebody has done."""
        return self.folder / f"rows-{who}.jsonl"

    def finals_path(self, mode: str) -> Path:
        """Return the file with the last story of each article that left."""
        return self.folder / f"finals-{mode}.tsv"

    def state_path(self, mode: str) -> Path:
        """Return the file of the engine's state."""
        return self.folder / f"state-{mode}.bin"

    def rows(self, who: str) -> list[dict[str, Any]]:
        """Return the lines of somebody, one for each slide, oldest first.

        What was prepared twice, because a run went on, is told once.
        """
        path = self.rows_path(who)
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        found = {row["slide"]: row for row in map(json.loads, lines)}
        return [found[number] for number in sorted(found)]

    def note(self, who: str, row: dict[str, Any]) -> None:
        """Add a line."""
        with self.rows_path(who).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def get(self, name: str, default: float) -> float:
        """Return a number that somebody left."""
        path = self.folder / name
        return float(path.read_text("ascii")) if path.exists() else default

    def put(self, name: str, value: float) -> None:
        """Leave a number for the others."""
        beside = self.folder / f"{name}.tmp"
        beside.write_text(str(value), encoding="ascii")
        beside.replace(self.folder / name)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let one engine work at a time, so that each has a core of its own."""
        with (self.folder / "turn").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for the others."""
    while not holds():
        time.sleep(_TICK)
