"""Articles from JSON Lines: files, files and folders that grow, standard input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival, Source
from ustory.sources.files.growing import GrowingFiles
from ustory.sources.files.json_values import parse_object
from ustory.sources.files.lines import read_lines
from ustory.sources.files.record_source import RecordSource
from ustory.sources.open import Fit, ReadOptions
from ustory.sources.records.cursor import STDIN, STDIN_NAME
from ustory.sources.records.fields import Clock, claimed_article
from ustory.sources.records.problems import Place, Report

_CURSOR = re.compile(r"(\d{1,18}):([0-9a-f]{12}):([0-9a-f]{12})", re.ASCII)


class JsonLinesSource(RecordSource[bytes]):
    """Reads a JSON Lines file, plain or gzipped, or standard input, once to its end.

    The number of a record is that of its line.
    """

    def _rows(self) -> Iterator[tuple[int, bytes | InputError]]:
        for number, line in read_lines(self._path):
            if not isinstance(line, bytes) or line.strip():
                yield number, line

    def _record(self, row: bytes, place: Place) -> Mapping[str, object]:
        return parse_object(row, place)


class _JsonLines:
    """The kind of source for whatever no other kind recognises."""

    extra = None

    def fit(self, where: str) -> Fit:
        """Take any name."""
        del where
        return Fit.ANY_FILE

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source: a file, or for a service one that may grow."""
        if not options.live:
            return JsonLinesSource(where, options.report, options.now)
        if where == STDIN:
            return StdinSource(options.report, options.clock)
        return GrowingFiles(where, options.report, options.clock)


JSON_LINES = _JsonLines()


class StdinSource:
    """Reads standard input to its end, and waits for each line.

    The cursor is a line's number and digest, and the digest of the first line: by
    that an input is known that is sent once more, and what was read of it is passed
    over. Any other input is read from its start.
    """

    live = False
    """What has ended does not go on."""

    def __init__(self, report: Report, clock: Clock) -> None:
        self._report, self._clock = report, clock

    @property
    def name(self) -> str:
        """`stdin`."""
        return STDIN_NAME

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles as they come, those behind the cursor `after`."""
        return self._arrivals(_StdinCursor.parse(after))

    def _arrivals(self, start: _StdinCursor) -> Iterator[Arrival]:
        first = ""
        for number, line in read_lines(STDIN):
            if isinstance(line, bytes) and not line.strip():
                continue
            digest = _digest(line)
            first = first or digest
            if first == start.first and number <= start.line:
                start.check(number, digest)
                continue
            try:
                if isinstance(line, InputError):
                    raise line
                place = Place(STDIN_NAME, number)
                record = parse_object(line, place)
                article = claimed_article(record, place, self._clock())
            except InputError as error:
                self._report(error)
            else:
                yield Arrival(article, f"{number}:{digest}:{first}")


@dataclass(frozen=True, slots=True)
class _StdinCursor:
    line: int = 0
    digest: str = ""
    first: str = ""

    @classmethod
    def parse(cls, after: str | None) -> _StdinCursor:
        if after is None:
            return cls()
        found = _CURSOR.fullmatch(after)
        if found is None:
            raise ConfigError(
                "a cursor of stdin is a line number and two digests, like "
                f"57:1f3a9c04d2b7:0c9d1e2f3a4b; got {after[:60]!r}"
            )
        return cls(int(found[1]), found[2], found[3])

    def check(self, number: int, digest: str) -> None:
        """Refuse an input that begins like the one before and goes on otherwise."""
        if number == self.line and digest != self.digest:
            raise ConfigError(
                f"stdin, line {number}: another line was read here before, though the "
                "first line is the same; send the same lines again, or only new ones"
            )


def _digest(line: bytes | InputError) -> str:
    content = line.strip() if isinstance(line, bytes) else b""
    return blake2b(content, digest_size=6).hexdigest()
