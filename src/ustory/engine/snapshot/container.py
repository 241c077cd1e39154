"""The frame of a snapshot: a magic word, a format, a checksum, JSON and columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from typing import Any, BinaryIO, TypeVar

import numpy as np

from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.core.rules import InconsistentError, must
from ustory.engine.snapshot.columns import DTYPES, Columns, codec_of
from ustory.engine.snapshot.upgrades import FORMAT, OLDEST, upgraded, writer

MAGIC = b"ustory-state"

_READABLE = {b"%d" % format_: format_ for format_ in range(OLDEST, FORMAT + 1)}
UNREADABLE = (KeyError, ValueError, TypeError, OverflowError, RecursionError)
"""What reading raises where columns are missing, or are of another kind."""
_DTYPES = frozenset(np.dtype(name).str for name in DTYPES)
"""Dtypes that columns may have."""
_MAX_AXES = 4
"""Axes that arrays of a state may have."""
_MAX_NAME_LENGTH = 200
"""Characters of an error, or of a name in the file, that are repeated."""
MAX_FIRST_LINE = 200
"""Bytes in which the first line must end."""

OR_NEW_FILE = "or start over with another state file"

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Written:
    """Who wrote a sealed state."""

    format: int
    method: int
    """The version of the method that made it, see `ustory.core.method`."""
    version: str
    """The release of ustory."""


def seal(state: object, about: Mapping[str, Any]) -> bytes:
    """Return a state, a dataclass of typed fields, as bytes; equal states, equal bytes.

    The first line is a magic word, the format and the SHA-256 of the rest. The
    second is JSON: `about`, which is anything that JSON can hold, and the dtype
    and shape of each column. The columns follow, in that order.
    """
    file = BytesIO()
    seal_into(file, state, about)
    return file.getvalue()


def seal_into(file: BinaryIO, state: object, about: Mapping[str, Any]) -> None:
    """Write what `seal` returns column by column, without a second copy in memory."""
    columns: Columns = {}
    kind: Any = type(state)
    codec_of(kind).write([state], "state", columns)
    digest = sha256()
    start = file.tell()
    file.write(_first_line(digest.hexdigest()))  # the right one is as long
    for part in _parts(about, columns):
        digest.update(part)
        file.write(part)
    end = file.tell()
    file.seek(start)
    file.write(_first_line(digest.hexdigest()))
    file.seek(end)


def unseal(data: bytes, kind: type[Kind], where: str) -> tuple[Kind, dict[str, Any]]:
    """Return what `seal` wrote, now or in an older release.

    `where` is what errors call its place.
    """
    format_, start = _start(data, where)
    try:
        about, columns = upgraded(format_, *_unpacked(data, start))
        _writer(format_, about.pop("written"))
        made: Any = kind
        (state,) = codec_of(made).read(1, "state", columns)
    except InconsistentError as error:
        raise inconsistent(where, str(error)) from error
    except UNREADABLE as error:
        raise other_version(where, short(error)) from error
    if columns:
        raise other_version(where, f"it also has {min(columns)}")
    return state, about


def written_by(data: bytes, where: str) -> Written:
    """Return who wrote a sealed state; only its first two lines are read."""
    format_, start = _format(data, where)
    try:
        return _writer(format_, writer(format_, _head(data, start)[0]))
    except UNREADABLE as error:
        raise other_version(where, short(error)) from error


def other_version(where: str, detail: str) -> StateError:
    """Return the error for a snapshot that this version cannot read."""
    return StateError(
        f"{where} was written by another version of ustory ({detail}); "
        f"use that version, {OR_NEW_FILE}"
    )


def inconsistent(where: str, detail: str) -> StateError:
    """Return the error for a snapshot that no version wrote."""
    return StateError(
        f"{where} does not hold together: {detail}; it was changed after ustory wrote "
        f"it, so bring back a copy of it, {OR_NEW_FILE}"
    )


def short(error: Exception) -> str:
    """Return an error in a few words: what it quotes may be as long as the file."""
    return repr(error)[:_MAX_NAME_LENGTH]


def _first_line(digest: str) -> bytes:
    return b"%s %d %s\n" % (MAGIC, FORMAT, digest.encode("ascii"))


def _parts(about: Mapping[str, Any], columns: Columns) -> Iterator[memoryview]:
    """Yield the rest, piece by piece; each column is freed after it is yielded."""
    index = {name: (column.dtype.str, column.shape) for name, column in columns.items()}
    written = {"method": METHOD, "version": version("ustory")}
    table = {**about, "columns": index, "written": written}
    yield memoryview(json.dumps(table, sort_keys=True).encode("ascii") + b"\n")
    for name in sorted(index):
        column = np.ascontiguousarray(columns.pop(name))
        yield column.reshape(-1).view(np.uint8).data


def _unpacked(data: bytes, start: int) -> tuple[dict[str, Any], Columns]:
    about, end = _head(data, start)
    columns: Columns = {}
    for name, (dtype, shape) in about.pop("columns").items():
        must(
            dtype in _DTYPES,
            f"{name[:_MAX_NAME_LENGTH]} is of a dtype that states do not have",
        )
        must(
            _is_shape(shape),
            f"{name[:_MAX_NAME_LENGTH]} has no shape that columns have",
        )
        column = np.frombuffer(data, dtype, math.prod(shape), end)
        must(
            dtype != "|b1" or not column.size or column.view(np.uint8).max() <= 1,
            f"{name[:_MAX_NAME_LENGTH]} is neither true nor false",
        )
        columns[name] = column.reshape(shape)
        end += column.nbytes
    must(end == len(data), "there is more after the last column")
    return about, columns


def _is_shape(shape: object) -> bool:
    """Whether a column has this shape: one axis, or the table of arrays' shapes.

    What takes no bytes may not pretend to have rows, or the memory that reading takes
    would have nothing to do with the size of the file.
    """
    return (
        isinstance(shape, list)
        and len(shape) in (1, 2)
        and all(type(n) is int and n >= 0 for n in shape)
        and (len(shape) == 1 or (shape[1] <= _MAX_AXES and (shape[1] or not shape[0])))
    )


def _head(data: bytes, start: int) -> tuple[dict[str, Any], int]:
    """Return the second line, and where it ends."""
    end = data.index(b"\n", start) + 1
    about = json.loads(data[start:end])
    if not isinstance(about, dict) or not isinstance(about.get("columns"), dict):
        raise TypeError("the second line is no table of columns")
    return about, end


def _writer(format_: int, written: Any) -> Written:  # noqa: ANN401 - of a file
    method, release = written["method"], written["version"]
    if type(method) is not int or method < 1 or not isinstance(release, str):
        raise ValueError("it does not say which version wrote it")
    return Written(format_, method, release)


def _start(data: bytes, where: str) -> tuple[int, int]:
    """Return the format, and where the rest begins, once its checksum fits."""
    format_, start = _format(data, where)
    rest = memoryview(data)[start:]  # not a copy: it may be large
    if data[:start].split()[2] != sha256(rest).hexdigest().encode("ascii"):
        raise StateError(
            f"{where} is damaged: its checksum does not fit; "
            f"bring back a copy of it, {OR_NEW_FILE}"
        )
    return format_, start


def _format(data: bytes, where: str) -> tuple[int, int]:
    """Return the format, and where the rest begins; one that cannot be read raises."""
    line = data[: data.find(b"\n", 0, MAX_FIRST_LINE) + 1]
    words = line.split()
    if len(words) != 3 or words[0] != MAGIC:
        raise StateError(
            f"{where} is not a state file of ustory; give a file that ustory wrote, "
            f"{OR_NEW_FILE}"
        )
    if words[1] not in _READABLE:
        written = words[1].decode("ascii", "replace")
        reads = f"{OLDEST} to {FORMAT}"
        raise other_version(where, f"format {written}, this one reads {reads}")
    return _READABLE[words[1]], len(line)
