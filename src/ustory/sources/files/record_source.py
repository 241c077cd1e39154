"""A source that reads numbered records of one file: lines, rows or JSON values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Generic, TypeVar

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.sources.files.lines import check_readable
from ustory.sources.records.cursor import STDIN, Cursor, display_name
from ustory.sources.records.fields import make_clock, to_article
from ustory.sources.records.problems import Place, Report

Row = TypeVar("Row")

_TO_RESUME = (
    "give the same lines again, new ones behind them; or give the new articles as a "
    "file with a name of its own, or start a new run with another --state"
)


class RecordSource(ABC, Generic[Row]):
    """Reads the records of a file; a subclass finds the rows and parses each.

    The cursor is a record's number and a digest of the article in it. To resume
    standard input, send it the same lines again: those already read are passed over.
    """

    def __init__(
        self, path: str, problems: Report, now: datetime | None = None
    ) -> None:
        check_readable(path)
        self._path = path
        self._name = display_name(path)
        self._report = problems
        self._clock = make_clock(now, live=path == STDIN)

    @property
    def name(self) -> str:
        """The file, however its path was typed, or `stdin`."""
        return self._name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, all when it is None.

        Rows before it are passed over unparsed. The cursor's own row must hold the
        article that was read there before; otherwise this is another file.
        """
        return self._arrivals(Cursor.parse(self.name, after))

    @abstractmethod
    def _rows(self) -> Iterator[tuple[int, Row | InputError]]:
        """Yield each row with its number, or what is wrong with it."""

    @abstractmethod
    def _record(self, row: Row, place: Place) -> Mapping[str, object]:
        """Return the fields of a row, or raise the InputError that says why not."""

    def _arrivals(self, start: Cursor) -> Iterator[Arrival]:
        last, known = 0, start.line == 0
        for last, row in self._rows():
            if last < start.line:
                continue
            found = self._article(row, Place(self.name, last))
            if not known:
                self._check_known(last, found, start)
                known = True
            elif isinstance(found, InputError):
                self._report(found)
            else:
                yield Arrival(found, str(Cursor.of(last, found)))
        self._check_end(last, start)

    def _article(self, row: Row | InputError, place: Place) -> Article | InputError:
        if isinstance(row, InputError):
            return row
        try:
            return to_article(self._record(row, place), place, self._clock())
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
            self._report(Place(self.name, 0).problem("empty-file", reason))
