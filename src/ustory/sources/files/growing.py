"""Articles from a file or a folder that grows: JSON Lines, read as they are written."""

from __future__ import annotations

import gzip
import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.sources.files.json_values import parse_object
from ustory.sources.files.lines import BUFFER, MAX_LINE_BYTES, too_long
from ustory.sources.records.cursor import display_name
from ustory.sources.records.fields import Clock, claimed_article
from ustory.sources.records.problems import Place, Report

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""What files of a folder must end in; what begins with a dot is left alone."""

TAIL = 256
"""Bytes before a mark by which a file is known again."""

_CHUNK = 65_536
_Stream: TypeAlias = BinaryIO | gzip.GzipFile
_BOM = b"\xef\xbb\xbf"
_MARK_FIELDS = 3
_FileStat: TypeAlias = tuple[int, int, int]


class GrowingFiles:
    """Reads a JSON Lines file, or a folder of them, as far as they are written.

    New files of a folder are read in order of name. A last line that is not whole
    waits. A file that was cut or replaced is read from its start, and that is
    reported. Packed files are read too, but not while they are being written to in
    place. The cursor says how far each file was read.

    Mutable: it remembers what it has reported, and which files had nothing new.
    """

    def __init__(
        self, path: str, report: Report, clock: Clock, *, live: bool = True
    ) -> None:
        self._path = Path(path)
        self._kind = _check(self._path)
        self._report, self._clock = report, clock
        self.live = live
        """Whether more may come."""
        self._name = display_name(path)
        self._reported: dict[str, int] = {}
        """Byte up to which the bad lines of each file were reported."""
        self._reported_once: set[tuple[str, object]] = set()
        """Other problems that were reported: of a file, as it was."""
        self._quiet: dict[str, tuple[_FileStat, Mark]] = {}
        """Files that had nothing new behind a mark, and what they found_stated like."""

    @property
    def name(self) -> str:
        """The path, however it was typed."""
        return self._name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, as many as there are now."""
        marks = read_marks(self._name, after)
        return self._arrivals(marks)

    def _arrivals(self, marks: dict[str, Mark]) -> Iterator[Arrival]:
        files = self._files()
        marks = {name: mark for name, mark in marks.items() if name in files}
        for name, path in files.items():
            for article in self._articles(path, name, marks):
                yield Arrival(article, write_marks(marks))

    def _files(self) -> dict[str, Path]:
        """Return the files that are there now, by name."""
        try:
            if not stat.S_ISDIR(self._kind):
                return {self._path.name: self._path} if self._path.exists() else {}
            names = sorted(path.name for path in self._path.iterdir())
        except OSError as error:
            raise ConfigError(f"{self._name} cannot be read: {error}") from None
        return {
            name: self._path / name
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        }

    def _articles(
        self, path: Path, name: str, marks: dict[str, Mark]
    ) -> Iterator[Article]:
        """Yield the new articles of one file; its mark moves on before each."""
        start = marks.get(name, Mark())
        try:
            found_stat = _stat(path)
            if self._quiet.get(name) == (found_stat, start):
                return
            some = False
            for article in self._from(path, name, marks):
                some = True
                yield article
            if not some:
                self._quiet[name] = found_stat, start
        except OSError as error:
            reason = f"the file cannot be read: {error.strerror}"
            self._report_once(
                name, error.errno, Place(name, 0).problem("damaged", reason)
            )

    def _from(self, path: Path, name: str, marks: dict[str, Mark]) -> Iterator[Article]:
        start = marks.get(name, Mark())
        try:
            yield from self._parsed(new_lines(path, name, start), name, marks)
        except ReplacedError:
            reason = (
                f"the file was cut or replaced since {start.line} lines of it were "
                "read; it is read from its start"
            )
            if self._report_once(
                name, start, Place(name, 0).problem("replaced", reason)
            ):
                self._reported.pop(name, None)
            marks.pop(name, None)
            yield from self._parsed(new_lines(path, name, Mark()), name, marks)

    def _parsed(
        self, lines: Iterator[Line], name: str, marks: dict[str, Mark]
    ) -> Iterator[Article]:
        for line in lines:
            found = self._article(line, Place(name, line.mark.line))
            if isinstance(found, InputError) and not line.ended:
                return  # the rest is not written yet
            marks[name] = line.mark
            if isinstance(found, InputError):
                self._report_line(name, line, found)
            elif found is not None:
                yield found

    def _article(self, line: Line, place: Place) -> Article | InputError | None:
        if isinstance(line.content, InputError):
            return line.content
        if not line.content.strip():
            return None
        try:
            record = parse_object(line.content, place)
            return claimed_article(record, place, self._clock())
        except InputError as error:
            return error

    def _report_line(self, name: str, line: Line, problem: InputError) -> None:
        """Report a bad line, unless it was reported before."""
        if problem.kind == "damaged":
            self._report_once(name, line.mark, problem)
        elif line.mark.offset > self._reported.get(name, 0):
            self._reported[name] = line.mark.offset
            self._report(problem)

    def _report_once(self, name: str, what: object, problem: InputError) -> bool:
        """Report a problem with a file, unless it was; return if it was not."""
        new = (name, what) not in self._reported_once
        if new:
            self._reported_once.add((name, what))
            self._report(problem)
        return new


def _check(path: Path) -> int:
    """Return what kind of file this is; refuse what cannot grow."""
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):
        raise ConfigError(f"there is no file at {path}; check the path") from None
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise ConfigError(f"{path} is neither a file nor a folder; give one of both")
    if not os.access(path, os.R_OK):
        raise ConfigError(f"{path} cannot be opened: you may not read it")
    return kind


def _stat(path: Path) -> _FileStat:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino


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


def write_marks(marks: Mapping[str, Mark]) -> str:
    """Return the marks of files as text.

    >>> write_marks({"a.jsonl": Mark(120, 2, "1f3a9c04d2b7")})
    '{"a.jsonl":[120,2,"1f3a9c04d2b7"]}'
    """
    table = {name: [m.offset, m.line, m.digest] for name, m in sorted(marks.items())}
    return json.dumps(table, separators=(",", ":"))


def read_marks(source: str, cursor: str | None) -> dict[str, Mark]:
    """Return the marks in a cursor of `source`; before the first file it is None."""
    try:
        table = {} if cursor is None else json.loads(cursor)
        return {name: _mark(value) for name, value in table.items()}
    except (ValueError, AttributeError, RecursionError):
        raise ConfigError(
            f"a cursor of {source} is a JSON object of files with an offset, a line "
            f'and a digest, like {{"a.jsonl":[120,2,"1f3a9c04d2b7"]}}; got '
            f"{str(cursor)[:60]!r}"
        ) from None


def _mark(value: object) -> Mark:
    if isinstance(value, list) and len(value) == _MARK_FIELDS:
        offset, line, digest = value
        numbers = type(offset) is int and type(line) is int
        if numbers and isinstance(digest, str) and min(offset, line) >= 0:
            return Mark(offset, line, digest)
    raise ValueError(value)
