"""States as bytes and as files: versioned, checksummed, exact."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.core.protocols import Encoder
from ustory.core.rules import InconsistentError
from ustory.core.settings import NO_GIST, Settings
from ustory.core.spans import format_span, microseconds
from ustory.engine.consistency import check_state, vector_size
from ustory.engine.snapshot.container import (
    MAX_FIRST_LINE,
    OR_NEW_FILE,
    UNREADABLE,
    Written,
    inconsistent,
    other_version,
    seal,
    seal_into,
    short,
    unseal,
    written_by,
)
from ustory.engine.state import State


def freeze(
    state: State, settings: Settings, extra: Mapping[str, Any] | None = None
) -> bytes:
    """Return the state with its settings as bytes, equal bytes for equal states.

    `extra` is anything that JSON can hold.
    """
    return seal(state, {"settings": _plain(settings), "extra": dict(extra or {})})


def freeze_into(
    file: BinaryIO,
    state: State,
    settings: Settings,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write what `freeze` returns, without having it in memory as a whole."""
    about = {"settings": _plain(settings), "extra": dict(extra or {})}
    seal_into(file, state, about)


def thaw(data: bytes, where: str) -> tuple[State, Settings, dict[str, Any]]:
    """Return what `freeze` wrote; `where` is what errors call its place.

    A state that comes from here holds together, whoever wrote it: compiled loops may
    read it.
    """
    state, about = unseal(data, State, where)
    try:
        # gists are newer than some states, which go on without them
        table = {"gist_encoder": NO_GIST, **_spans_read(about["settings"])}
        settings = Settings().with_(table)
        extra = about["extra"]
        if not isinstance(extra, dict):
            raise TypeError("extra is no table")
        check_state(state, settings)
    except InconsistentError as error:
        raise inconsistent(where, str(error)) from error
    except UNREADABLE as error:
        raise other_version(where, short(error)) from error
    return state, settings, extra


def refuse_other_settings(found: Settings, wanted: Settings, where: str) -> None:
    """Raise StateError if a state made with `found` cannot go on with `wanted`."""
    before, now = _what_matters(found), _what_matters(wanted)
    if wanted.gist_encoder == "auto":  # it was settled when the state began
        now["gist_encoder"] = before["gist_encoder"]
    differences = [
        f"{name} is {_words(before[name])}, not {_words(now[name])}"
        for name in before
        if before[name] != now[name]
    ]
    if differences:
        raise StateError(
            f"{where} was made with other settings: {'; '.join(differences)}; "
            f"use the same settings, {OR_NEW_FILE}"
        )


def refuse_other_size(state: State, encoder: Encoder, where: str) -> None:
    """Refuse a model that changed under the same name, as one in a folder can.

    Compiled loops read vectors by the length that the first of them has.
    """
    size = vector_size(state)
    if size is not None and size != encoder.dim:
        raise StateError(
            f"{where} was made with vectors of {size} numbers, but the encoder "
            f"{encoder.name!r} now gives {encoder.dim}; use the same model, "
            f"{OR_NEW_FILE}"
        )


def _plain(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON can hold them, durations to the microsecond."""
    return {
        name: [microseconds(value)] if isinstance(value, timedelta) else value
        for name, value in asdict(settings).items()
    }


def _spans_read(table: Any) -> dict[str, Any]:  # noqa: ANN401 - of a file
    """Read back what `_plain` returned; TypeError for anything else."""
    if not isinstance(table, dict):
        raise TypeError("settings are no table")
    return {
        name: _span_read(value) if isinstance(value, list) else value
        for name, value in table.items()
    }


def _span_read(value: list[Any]) -> timedelta:
    if len(value) != 1 or type(value[0]) is not int:
        raise TypeError("a duration must be in microseconds")
    return timedelta(microseconds=value[0])


def _what_matters(settings: Settings) -> dict[str, Any]:
    """Return the settings by what they do, not by how they were written."""
    table = asdict(replace(settings, pane=settings.pane_size))
    if settings.min_articles is not None:
        table["seed_count"] = None  # M is given, so nothing is counted
    return table


def _words(value: Any) -> str:  # noqa: ANN401 - the value of a setting
    if isinstance(value, timedelta):
        return format_span(value)
    return "left out" if value is None else str(value)


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
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            freeze_into(file, state, settings, extra)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise StateError(
            f"cannot write the state to {path}: {error.strerror}; "
            "choose a folder that exists and may be written to"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


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
            lines = file.readline(MAX_FIRST_LINE) + file.readline()
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
