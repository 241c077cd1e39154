"""Articles from standard input: JSON Lines, as long as somebody writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.sources.files.jsonl import parse_object
from ustory.sources.files.lines import read_lines
from ustory.sources.records.live_record import Clock, claimed_article
from ustory.sources.records.place import Place
from ustory.sources.records.problems import Report
from ustory.sources.records.source_names import STDIN, STDIN_NAME

_CURSOR = re.compile(r"(\d{1,18}):([0-9a-f]{12}):([0-9a-f]{12})", re.ASCII)


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
        return self._arrivals(_Cursor.parse(after))

    def _arrivals(self, start: _Cursor) -> Iterator[Arrival]:
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
class _Cursor:
    line: int = 0
    digest: str = ""
    first: str = ""

    @classmethod
    def parse(cls, after: str | None) -> _Cursor:
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
