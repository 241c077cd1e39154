"""State files on disk: written whole or not at all, read back with care."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.core.settings import Settings
from ustory.engine.snapshot.container import (
    FIRST,
    UNREADABLE,
    Written,
    inconsistent,
    short,
    written_by,
)
from ustory.engine.snapshot.states import freeze_into, thaw
from ustory.engine.state import State


def write_state(
    path: Path,
    state: State,
    settings: Settings,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write a state file whole or not at all: what was there stays until it is done.

    `extra` is anything that JSON can hold, for `read_file` to hand back.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            freeze_into(file, state, settings, extra)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except OSError as error:
        raise StateError(
            f"cannot write the state to {path}: {error.strerror}; "
            "choose a folder that exists and may be written to"
        ) from error
    finally:
        beside.unlink(missing_ok=True)


def read_file(path: Path) -> tuple[State, Settings, dict[str, Any]]:
    """Return what a state file holds."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    return thaw(data, str(path))


def writer_of(path: Path) -> Written:
    """Return which release wrote a state file, and with which method."""
    try:
        with path.open("rb") as file:
            lines = file.readline(FIRST) + file.readline()
    except OSError as error:
        raise _unreadable(path, error) from error
    return written_by(lines, str(path))


def _unreadable(path: Path, error: OSError) -> StateError:
    return StateError(
        f"cannot read the state from {path}: {error.strerror}; "
        "give a file that ustory wrote"
    )


def to_plain(article: Article) -> dict[str, Any]:
    """Return an article as JSON can hold it, for the extra of a state file."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(article).items()
    }


def from_plain(table: Mapping[str, Any]) -> Article:
    """Read back what `to_plain` returned; TypeError or ValueError for anything else."""
    moments = {
        name: datetime.fromisoformat(table[name])
        for name in ("published_at", "fetched_at")
        if table[name] is not None
    }
    article = Article(**{**table, "authors": tuple(table["authors"]), **moments})
    if any(moment.tzinfo is None for moment in moments.values()):
        raise ValueError("a time must say its zone")
    if not isinstance(article.doubtful, bool):
        raise TypeError("doubtful must be true or false")
    others = (*moments, "doubtful")
    texts = {n: v for n, v in asdict(article).items() if n not in others}
    for name, value in texts.items():
        every = value if name == "authors" else (value,)
        if not all(isinstance(v, str | None) for v in every) or table["id"] is None:
            raise TypeError(f"{name} must be a text")
    return article


def pending_of(tables: Any, where: str) -> tuple[Article, ...]:  # noqa: ANN401 - of a file
    """Return the articles of an open slide that a state file holds as extra."""
    try:
        if not isinstance(tables, list):
            raise TypeError("pending articles must be a list")
        return tuple(map(from_plain, tables))
    except (*UNREADABLE, AttributeError) as error:
        raise inconsistent(where, short(error)) from error
