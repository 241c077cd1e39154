"""The frame of a snapshot: a magic word, a format, a checksum, JSON and columns."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np

from ustory.core.errors import StateError
from ustory.snapshot.columns import Columns, codec_of

MAGIC = b"ustory-state"
FORMAT = 2
"""Raised whenever the meaning of the columns changes."""

ANEW = "or start anew with another state file"

Kind = TypeVar("Kind")


def seal(state: object, about: Mapping[str, Any]) -> bytes:
    """Return a state, a dataclass of typed fields, as bytes; equal states, equal bytes.

    The first line is a magic word, the format and the SHA-256 of the rest. The
    second is JSON: `about`, which is anything that JSON can hold, and the dtype
    and shape of each column. The columns follow, in that order.
    """
    columns: Columns = {}
    kind: Any = type(state)
    codec_of(kind).write([state], "state", columns)
    payload = _packed(about, columns)
    digest = sha256(payload).hexdigest().encode("ascii")
    return b"%s %d %s\n%s" % (MAGIC, FORMAT, digest, payload)


def unseal(data: bytes, kind: type[Kind], where: str) -> tuple[Kind, dict[str, Any]]:
    """Return what `seal` wrote; `where` is what errors call its place."""
    payload = _payload(data, where)
    try:
        about, columns = _unpacked(payload)
        made: Any = kind
        (state,) = codec_of(made).read(1, "state", columns)
    except (KeyError, ValueError, TypeError) as error:
        raise other_version(where, repr(error)) from error
    if columns:
        raise other_version(where, f"it also has {min(columns)}")
    return state, about


def other_version(where: str, detail: str) -> StateError:
    """Return the error for a snapshot that this version cannot read."""
    return StateError(
        f"{where} was written by another version of ustory ({detail}); "
        f"use that version, {ANEW}"
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
            f"{ANEW}"
        )
    if words[1] != b"%d" % FORMAT:
        written = words[1].decode("ascii", "replace")
        raise other_version(where, f"format {written}, this one reads {FORMAT}")
    if words[2] != sha256(payload).hexdigest().encode("ascii"):
        raise StateError(
            f"{where} is damaged: its checksum does not fit; "
            f"bring back a copy of it, {ANEW}"
        )
    return payload
