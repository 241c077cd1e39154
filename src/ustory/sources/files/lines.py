"""The lines of a file or of standard input, never longer than a limit."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from stat import S_ISDIR
from typing import IO, Protocol, cast

from ustory.core.errors import ConfigError, InputError, UStoryError
from ustory.sources.records.cursor import STDIN, display_name
from ustory.sources.records.problems import Place

MAX_LINE_BYTES = 4 * 1024 * 1024
"""The longest line that is held in memory; a longer one is passed over."""

_CHUNK = 65_536
BUFFER = 1 << 20
"""Bytes read at once. A thread that lets go of the interpreter's lock for an instant,
at each of many small reads, takes it again before any other thread has woken up."""
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


class _Lines(Protocol):
    """Whatever lines can be read from, plain or packed."""

    def readline(self, size: int, /) -> bytes: ...


def check_readable(path: str) -> None:
    """Raise ConfigError when there is no file to read at `path`.

    Sources ask this when they are made, long before the first line is needed.
    """
    if path == STDIN:
        return
    with _clear_errors(path):
        # Not opened: what feeds a named pipe would see its reader leave.
        if S_ISDIR(Path(path).stat().st_mode):
            raise IsADirectoryError
        if not os.access(path, os.R_OK):
            raise PermissionError("you may not read it")


def read_lines(path: str) -> Iterator[tuple[int, bytes | InputError]]:
    """Yield each line with its number from 1, packed files unpacked on the way.

    In place of a line over the limit comes its error: its bytes are dropped as they
    are read, so a line without an end costs time but no memory.
    """
    name = display_name(path)
    with _opened(path) as stream:
        for number in count(1):
            place = Place(name, number)
            line = _next_line(stream, place)
            if not line:
                return
            if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
                yield number, line.removeprefix(_BOM) if number == 1 else line
            else:
                _pass_over(stream, place)
                yield number, too_long(place)


def read_chunks(path: str) -> Generator[bytes, None, None]:
    """Yield the bytes of a file in small pieces, packed files unpacked on the way.

    For files whose lines mean nothing: a whole data set may stand on one.
    """
    place = Place(display_name(path), 1)
    with _opened(path) as stream:
        while chunk := _next_line(stream, place, _CHUNK):
            yield chunk
            if chunk.endswith(b"\n"):
                place = Place(place.file, place.line + 1)


def too_long(place: Place) -> InputError:
    """Return the error for a line or a row over the limit."""
    return place.problem(
        "too-large", f"a line may have {MAX_LINE_BYTES:,} bytes; this one has more"
    )


def _next_line(stream: _Lines, place: Place, size: int = MAX_LINE_BYTES + 1) -> bytes:
    try:
        return stream.readline(size)
    except (OSError, EOFError, zlib.error) as error:
        # Not a matter of one record: all that follows is lost, so no policy skips it.
        raise UStoryError(
            f"{place.file}, line {place.line}: the file is damaged or cut short and "
            f"cannot be read on ({error}); fetch or pack it again"
        ) from error


def _pass_over(stream: _Lines, place: Place) -> None:
    chunk = b" "
    while chunk and not chunk.endswith(b"\n"):
        chunk = _next_line(stream, place, _CHUNK)


@contextmanager
def _opened(path: str) -> Iterator[_Lines]:
    if path == STDIN:
        if sys.stdin is None:
            raise ConfigError("there is no standard input to read; give a file")
        yield _unpacked(sys.stdin.buffer, path)
        return
    with _clear_errors(path):
        stream = Path(path).open("rb", BUFFER)  # noqa: SIM115 - closed below
    with stream:
        yield _unpacked(stream, path)


def _unpacked(stream: IO[bytes], path: str) -> _Lines:
    packed = path.lower().endswith(".gz")
    if not packed and isinstance(stream, io.BufferedReader):
        with _clear_errors(path):
            packed = stream.peek(len(_GZIP))[: len(_GZIP)] == _GZIP
    if not packed:
        return stream
    raw = cast(io.RawIOBase, gzip.GzipFile(fileobj=stream))  # it reads as one does
    return io.BufferedReader(raw, BUFFER)


@contextmanager
def _clear_errors(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise ConfigError(f"there is no file at {path}; check the path") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder; give the files in it") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be opened: {error}") from None
