"""Output files in JSON Lines that hold whole slides only, also after a restart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError, UStoryError
from ustory.sources.records.cursor import file_name


class JsonLines:
    """A file of JSON Lines that grows slide by slide.

    Mutable. `size` counts its bytes, so that a run that stops in the middle of a
    slide, or starts again from an older state, can cut off what it will write anew.
    """

    def __init__(self, path: Path, keep: int | None = None) -> None:
        """Open the file: empty, or behind the first `keep` bytes of what it has."""
        self.path = path
        self.size = 0
        with _clear_errors(path):
            self._file = path.open("wb" if keep is None else "ab", buffering=0)
            if keep is not None and self._file.seekable():
                self.size = self._file.seek(0, 2)
                self.cut(keep)
        self.name = file_name(path)
        """What the state file calls it."""

    def write(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add one line per record, all in one write."""
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
        data = memoryview("".join(lines).encode("utf-8", "replace"))
        with _clear_errors(self.path):
            while data:
                written = self._file.write(data)
                self.size += written
                data = data[written:]

    def cut(self, size: int) -> None:
        """Take back what was written behind the first `size` bytes."""
        if size < self.size and self._file.seekable():
            with _clear_errors(self.path):
                self._file.truncate(size)
                self.size = self._file.seek(size)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def check_writable(path: Path) -> None:
    """Raise ConfigError when no file can be written at `path`.

    For files that are written late: better refused before the work than after it.
    """
    existed = path.exists()
    with _clear_errors(path):
        path.open("ab").close()
        if not existed:
            path.unlink()


def check_apart(inputs: Iterable[str], outputs: Mapping[str, Path | None]) -> None:
    """Raise ConfigError when one file would be written twice, or over an input."""
    taken = {Path(path).resolve(): f"the input {path}" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        place = path.resolve()
        if place in taken and not (path.exists() and not path.is_file()):
            raise ConfigError(
                f"{option} would overwrite {taken[place]}; give each a file of its own"
            )
        taken[place] = f"the file of {option}"


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UStoryError(
            f"cannot write {path}: {error.strerror or error}; "
            "give a file in a folder that can be written to"
        ) from error
