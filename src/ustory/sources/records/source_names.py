"""What sources and files are called, whichever way their path was typed."""

from __future__ import annotations

from pathlib import Path

STDIN = "-"
"""The path that means standard input."""

STDIN_NAME = "stdin"
"""What errors and cursors call it."""


def display_name(path: str) -> str:
    """Return what errors and cursors call this path."""
    return STDIN_NAME if path == STDIN else file_name(Path(path))


def file_name(path: Path, folder: Path | None = None) -> str:
    """Return the one name of a file: relative to `folder` if inside it, else absolute.

    `folder` is the current one unless given. However a path is typed, a run that is
    resumed must know the file again.
    """
    # What a pipe resolves to is another name in every process.
    odd = path.exists() and not path.is_file()
    place = path.absolute() if odd else path.resolve()
    home = (folder or Path()).resolve()
    return str(place.relative_to(home) if place.is_relative_to(home) else place)
