"""Finished cells of a comparison, kept in a file so that it can be resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError


class Cells:
    """The cells that are finished, one JSON object a line. Mutable: they grow."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        self._torn = False
        if path.exists():
            self._read(path.read_text(encoding="utf-8"))

    def __len__(self) -> int:
        return len(self._known)

    def find(self, key: str) -> dict[str, Any] | None:
        """Return a finished cell, None if it has to be computed."""
        return self._known.get(key)

    def add(self, key: str, cell: dict[str, Any]) -> None:
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
