"""The engine's state in one file: versioned, checksummed, the same to the last bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import numpy as np

from ustory.core.errors import StateError
from ustory.core.settings import Settings
from ustory.core.spans import format_span, microseconds
from ustory.engine.columns import Columns, codec_of
from ustory.engine.state import State

MAGIC = b"ustory-state"
FORMAT = 1
"""Raised whenever the meaning of the columns changes."""

_ANEW = "or start anew with another state file"


def freeze(
    state: State, settings: Settings, extra: Mapping[str, Any] | None = None
) -> bytes:
    """Return the state with its settings as bytes, equal bytes for equal states.

    The first line is a magic word, the format and the SHA-256 of the rest. The
    second is JSON: the settings, `extra`, which is anything that JSON can hold,
    and the dtype and shape of each column. The columns follow, in that order.
    """
    columns: Columns = {}
    codec_of(State).write([state], "state", columns)
    about = {"settings": _plain(settings), "extra": dict(extra or {})}
    payload = _packed(about, columns)
    digest = sha256(payload).hexdigest().encode("ascii")
    return b"%s %d %s\n%s" % (MAGIC, FORMAT, digest, payload)


def thaw(data: bytes, where: str) -> tuple[State, Settings, dict[str, Any]]:
    """Return what `freeze` wrote; `where` is what errors call its place."""
    payload = _payload(data, where)
    try:
        about, columns = _unpacked(payload)
        settings = Settings().with_(_spans_read(about["settings"]))
        (state,) = codec_of(State).read(1, "state", columns)
        extra: dict[str, Any] = about["extra"]
    except (KeyError, ValueError, TypeError) as error:
        raise _other_version(where, repr(error)) from error
    if columns:
        raise _other_version(where, f"it also has {min(columns)}")
    return state, settings, extra


def refuse_other_settings(found: Settings, wanted: Settings, where: str) -> None:
    """Raise StateError if a state made with `found` cannot go on with `wanted`."""
    before, now = _what_matters(found), _what_matters(wanted)
    differences = [
        f"{name} is {_words(before[name])}, not {_words(now[name])}"
        for name in before
        if before[name] != now[name]
    ]
    if differences:
        raise StateError(
            f"{where} was made with other settings: {'; '.join(differences)}; "
            f"use the same settings, {_ANEW}"
        )


def _packed(about: Mapping[str, Any], columns: Columns) -> bytes:
    index = {name: (column.dtype.str, column.shape) for name, column in columns.items()}
    head = json.dumps({**about, "columns": index}, sort_keys=True).encode("ascii")
    return b"".join([head, b"\n", *(columns[name].tobytes() for name in sorted(index))])


def _unpacked(payload: bytes) -> tuple[dict[str, Any], Columns]:
    start = payload.index(b"\n") + 1
    about: dict[str, Any] = json.loads(payload[:start])
    columns: Columns = {}
    for name, (dtype, shape) in about.pop("columns").items():
        column = np.frombuffer(payload, dtype, math.prod(shape), start)
        columns[name] = column.reshape(shape)
        start += column.nbytes
    return about, columns


def _payload(data: bytes, where: str) -> bytes:
    """Return what is behind the first line, once that line is as it must be."""
    line, _, payload = data.partition(b"\n")
    words = line.split(b" ")
    if words[0] != MAGIC or len(words) != 3:
        raise StateError(
            f"{where} is not a state file of ustory; give a file that ustory wrote, "
            f"{_ANEW}"
        )
    if words[1] != b"%d" % FORMAT:
        written = words[1].decode("ascii", "replace")
        raise _other_version(where, f"format {written}, this one reads {FORMAT}")
    if words[2] != sha256(payload).hexdigest().encode("ascii"):
        raise StateError(
            f"{where} is damaged: its checksum does not fit; "
            f"bring back a copy of it, {_ANEW}"
        )
    return payload


def _other_version(where: str, detail: str) -> StateError:
    return StateError(
        f"{where} was written by another version of ustory ({detail}); "
        f"use that version, {_ANEW}"
    )


def _plain(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON can hold them, durations to the microsecond."""
    return {
        name: [microseconds(value)] if isinstance(value, timedelta) else value
        for name, value in asdict(settings).items()
    }


def _spans_read(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: timedelta(microseconds=value[0]) if isinstance(value, list) else value
        for name, value in table.items()
    }


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
