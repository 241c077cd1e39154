"""The new lines of a file that grows, and whether it is still the same file."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ustory.core.errors import InputError
from ustory.sources.files.lines import BUFFER, MAX_LINE_BYTES, too_long
from ustory.sources.records.place import Place

TAIL = 256
"""Bytes before a mark by which a file is known again."""

_CHUNK = 65_536
_Stream: TypeAlias = BinaryIO | gzip.GzipFile
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a file was read."""

    offset: int = 0
    """In bytes; of a packed file, in those that were packed."""
    line: int = 0
    digest: str = ""
    """Of the last bytes before the offset."""

    def after(self, size: int, tail: bytes) -> Mark:
        """Return the mark behind one more line, which ends in `tail`."""
        return Mark(self.offset + size, self.line + 1, digest_of(tail))


@dataclass(frozen=True, slots=True)
class Line:
    """One line, or what is wrong with it."""

    content: bytes | InputError
    mark: Mark
    """Behind the line."""
    ended: bool
    """Whether its end was written, too."""


class ReplacedError(Exception):
    """What stands before the mark is not what was read there: another file."""


def new_lines(path: Path, name: str, mark: Mark) -> Iterator[Line]:
    """Yield the lines behind a mark; errors call the file `name`.

    A line over the limit is passed over once its end is there, and an error stands
    in its place. A packed file that ends too early is still being written.
    """
    with _opened(path) as stream:
        try:
            for line in _lines(stream, name, mark, _resumed(stream, mark)):
                mark = line.mark
                yield line
        except EOFError:
            return
        except (OSError, zlib.error) as error:
            reason = (
                f"the file is damaged and cannot be read on ({error}); pack it again"
            )
            problem = Place(name, mark.line + 1).problem("damaged", reason)
            yield Line(problem, mark, ended=True)


def digest_of(tail: bytes) -> str:
    """Return a short digest of the bytes before a mark."""
    return blake2b(tail[-TAIL:], digest_size=6).hexdigest()


def _opened(path: Path) -> _Stream:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rb")
    return path.open("rb", BUFFER)


def _resumed(stream: _Stream, mark: Mark) -> bytes:
    """Go to the mark and return the bytes before it; they must be the same."""
    start = max(mark.offset - TAIL, 0)
    stream.seek(start)
    tail = stream.read(mark.offset - start)
    if mark.offset and digest_of(tail) != mark.digest:
        raise ReplacedError
    return tail


def _lines(stream: _Stream, name: str, mark: Mark, tail: bytes) -> Iterator[Line]:
    while line := stream.readline(MAX_LINE_BYTES + 1):
        size, ended, tail = len(line), line.endswith(b"\n"), (tail + line)[-TAIL:]
        content: bytes | InputError = line
        if not mark.offset:
            content = line.removeprefix(_BOM)
        if size > MAX_LINE_BYTES and not ended:
            content = too_long(Place(name, mark.line + 1))
            more, tail, ended = _passed_over(stream, tail)
            size += more
            if not ended:
                return
        mark = mark.after(size, tail)
        yield Line(content, mark, ended)


def _passed_over(stream: _Stream, tail: bytes) -> tuple[int, bytes, bool]:
    """Read to the end of a line; return its size, last bytes, and if it has ended."""
    size = 0
    while chunk := stream.readline(_CHUNK):
        size, tail = size + len(chunk), (tail + chunk)[-TAIL:]
        if chunk.endswith(b"\n"):
            return size, tail, True
    return size, tail, False
