"""What all sources share: from numbered rows to articles with cursors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.ingest.fields import to_article
from ustory.ingest.place import Place
from ustory.ingest.problems import Report

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Intake:
    """Turns the rows of one source into arrivals, and reports the rest."""

    name: str
    report: Report
    clock: Callable[[], datetime]
    """Tells what time it is, to refuse publication dates in the future."""

    def arrivals(
        self,
        rows: Iterable[tuple[int, Row | InputError]],
        parse: Callable[[Row, Place], Mapping[str, object]],
        after: str | None,
    ) -> Iterator[Arrival]:
        """Yield the articles of the rows numbered above the cursor `after`.

        A row's number is its cursor. Rows up to `after` are passed over unparsed.
        """
        return self._arrivals(rows, parse, parse_cursor(self.name, after))

    def _arrivals(
        self,
        rows: Iterable[tuple[int, Row | InputError]],
        parse: Callable[[Row, Place], Mapping[str, object]],
        start: int,
    ) -> Iterator[Arrival]:
        last = 0
        for last, row in rows:
            if last <= start:
                continue
            place = Place(self.name, last)
            try:
                if isinstance(row, InputError):
                    raise row
                article = to_article(parse(row, place), place, self.clock())
            except InputError as error:
                self.report(error)
            else:
                yield Arrival(article, str(last))
        self._check_end(last, start)

    def _check_end(self, last: int, start: int) -> None:
        if last < start:
            raise ConfigError(
                f"{self.name} ends at line {last}, but {start} lines of it were read "
                "before: to resume, give the same file again"
            )
        if last == 0:
            reason = "the file holds no article; check that it is the right file"
            self.report(Place(self.name, 0).problem("empty-file", reason))


def parse_cursor(name: str, after: str | None) -> int:
    """Return the number in a cursor of ours, 0 for None."""
    if after is None:
        return 0
    if not (after.isascii() and after.isdigit() and len(after) < 20):
        raise ConfigError(f"a cursor of {name} is a line number; got {after!r}")
    return int(after)


def make_clock(now: datetime | None, *, live: bool) -> Callable[[], datetime]:
    """Return the clock of a source: `now` if given, else the real one.

    The real one is read once, so that a file is judged as a whole; only a `live`
    source, which may run for days, is judged article by article.
    """
    if now is not None and now.tzinfo is None:
        raise ConfigError(f"`now` must name its time zone; got {now.isoformat()}")
    if now is None and live:
        return lambda: datetime.now(UTC)
    moment = now or datetime.now(UTC)
    return lambda: moment
