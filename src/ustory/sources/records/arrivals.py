"""What all sources share: from numbered rows to articles with cursors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.sources.records.cursor import Cursor
from ustory.sources.records.fields import to_article
from ustory.sources.records.place import Place
from ustory.sources.records.problems import Report

Row = TypeVar("Row")

_TO_RESUME = (
    "give the same lines again, new ones behind them; or give the new articles as a "
    "file with a name of its own, or start anew with another --state"
)


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
        """Yield the articles of the rows behind the cursor `after`.

        Rows before it are passed over unparsed; in its own row must stand the article
        that was read there before, or else this is another file.
        """
        return self._arrivals(rows, parse, Cursor.parse(self.name, after))

    def _arrivals(
        self,
        rows: Iterable[tuple[int, Row | InputError]],
        parse: Callable[[Row, Place], Mapping[str, object]],
        start: Cursor,
    ) -> Iterator[Arrival]:
        last, known = 0, start.line == 0
        for last, row in rows:
            if last < start.line:
                continue
            found = self._article(row, parse, Place(self.name, last))
            if not known:
                self._check_known(last, found, start)
                known = True
            elif isinstance(found, InputError):
                self.report(found)
            else:
                yield Arrival(found, str(Cursor.of(last, found)))
        self._check_end(last, start)

    def _article(
        self,
        row: Row | InputError,
        parse: Callable[[Row, Place], Mapping[str, object]],
        place: Place,
    ) -> Article | InputError:
        if isinstance(row, InputError):
            return row
        try:
            return to_article(parse(row, place), place, self.clock())
        except InputError as error:
            return error

    def _check_known(
        self, line: int, found: Article | InputError, start: Cursor
    ) -> None:
        if isinstance(found, InputError) or Cursor.of(line, found) != start:
            raise ConfigError(
                f"{self.name}, line {start.line}: another article was read here before "
                f"(its digest was {start.digest}); to resume, {_TO_RESUME}"
            )

    def _check_end(self, last: int, start: Cursor) -> None:
        if last < start.line:
            raise ConfigError(
                f"{self.name} ends at line {last}, but {start.line} lines of it were "
                f"read before; to resume, {_TO_RESUME}"
            )
        if last == 0:
            reason = "the file holds no article; check that it is the right file"
            self.report(Place(self.name, 0).problem("empty-file", reason))


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
