"""Articles from a file or a folder that grows: JSON Lines, read as they are written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.sources.files.file_cursors import read_marks, write_marks
from ustory.sources.files.growth import Line, Mark, ReplacedError, new_lines
from ustory.sources.files.jsonl import parse_object
from ustory.sources.records.live_record import Clock, claimed_article
from ustory.sources.records.place import Place
from ustory.sources.records.problems import Report
from ustory.sources.records.source_names import display_name

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
"""What files of a folder must end in; what begins with a dot is left alone."""

_Look: TypeAlias = tuple[int, int, int]


class GrowingFiles:
    """Reads a JSON Lines file, or a folder of them, as far as they are written.

    New files of a folder are read in order of name. A last line that is not whole
    waits. A file that was cut or replaced is read from its start, and that is
    reported. Packed files are read too, but not while they are being written to in
    place. The cursor says how far each file was read.

    Mutable: it remembers what it has reported, and files that had nothing new.
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
        self._told: dict[str, int] = {}
        """Up to which byte the bad lines of each file were reported."""
        self._noted: set[tuple[str, object]] = set()
        """Other problems that were reported: of a file, as it was."""
        self._quiet: dict[str, tuple[_Look, Mark]] = {}
        """Files that had nothing new behind a mark, and what they looked like."""

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
            look = _look(path)
            if self._quiet.get(name) == (look, start):
                return
            some = False
            for article in self._from(path, name, marks):
                some = True
                yield article
            if not some:
                self._quiet[name] = look, start
        except OSError as error:
            reason = f"the file cannot be read: {error.strerror}"
            self._note(name, error.errno, Place(name, 0).problem("damaged", reason))

    def _from(self, path: Path, name: str, marks: dict[str, Mark]) -> Iterator[Article]:
        start = marks.get(name, Mark())
        try:
            yield from self._parsed(new_lines(path, name, start), name, marks)
        except ReplacedError:
            reason = (
                f"the file was cut or replaced since {start.line} lines of it were "
                "read; it is read from its start"
            )
            if self._note(name, start, Place(name, 0).problem("replaced", reason)):
                self._told.pop(name, None)
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
                self._tell(name, line, found)
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

    def _tell(self, name: str, line: Line, problem: InputError) -> None:
        """Report a bad line, unless it was reported before."""
        if problem.kind == "damaged":
            self._note(name, line.mark, problem)
        elif line.mark.offset > self._told.get(name, 0):
            self._told[name] = line.mark.offset
            self._report(problem)

    def _note(self, name: str, what: object, problem: InputError) -> bool:
        """Report a problem with a file, unless it was; return if it was not."""
        new = (name, what) not in self._noted
        if new:
            self._noted.add((name, what))
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


def _look(path: Path) -> _Look:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino
