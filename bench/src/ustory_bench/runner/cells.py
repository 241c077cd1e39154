"""Finished cells of a comparison, kept in a file so that it can be resumed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System

Cell: TypeAlias = dict[str, Any]
"""What `Outcome.plain()` returned."""


def cell_key(
    system: System,
    stream: Stream,
    settings: Settings,
    changes: Mapping[str, Parameter],
) -> str:
    """Return what a cell depends on, as text: two cells with one key are the same.

    Changed code has no part in it unless the version does: begin a new file then.
    """
    table = {
        "system": system.name,
        "parameters": {**system.parameters, **changes},
        "stream": stream.name,
        "sha256": stream.sha256,
        "settings": settings.to_dict(),
        "version": version("ustory"),
    }
    return json.dumps(table, sort_keys=True, ensure_ascii=False)


class Cells:
    """The cells that are finished, one JSON object a line. Mutable: they grow."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Cell] = {}
        self._torn = False
        if path.exists():
            self._read(path.read_text(encoding="utf-8"))

    def __len__(self) -> int:
        return len(self._known)

    def find(self, key: str) -> Cell | None:
        """Return a finished cell, None if it has to be computed."""
        return self._known.get(key)

    def add(self, key: str, cell: Cell) -> None:
        """Keep a cell; it is on disk when this returns."""
        line = json.dumps({"key": key, "cell": cell}, ensure_ascii=False)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(("\n" if self._torn else "") + line + "\n")
        except OSError as error:
            raise ConfigError(
                f"cannot write finished cells to {self._path}: {error.strerror}; "
                "choose a folder that exists and may be written to"
            ) from error
        self._torn = False
        self._known[key] = cell

    def _read(self, text: str) -> None:
        """Take what is whole: a line torn by an interruption is computed again."""
        self._torn = bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            try:
                found = json.loads(line)
                self._known[found["key"]] = found["cell"]
            except (json.JSONDecodeError, KeyError, TypeError):
                continue
