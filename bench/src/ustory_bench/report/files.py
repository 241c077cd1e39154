"""Writes a file whole, or says in words why it cannot be written."""

from __future__ import annotations

import os
from pathlib import Path

from ustory.core.errors import ConfigError


def write_text(path: Path, text: str) -> None:
    """Write the text as UTF-8, with its folders; never half a file.

    What stands there already stays until the new text is on disk.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)  # noqa: PTH105 - one call that every system has
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror or error}; choose another "
            "folder, or make room"
        ) from error
