"""Articles from CSV and TSV: one row per article, the names in the first row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial

from ustory.core.errors import InputError
from ustory.core.protocols import Arrival
from ustory.sources.files.lines import (
    MAX_LINE_BYTES,
    check_readable,
    read_lines,
    too_long,
)
from ustory.sources.records.arrivals import Intake, make_clock
from ustory.sources.records.place import Place
from ustory.sources.records.problems import Report
from ustory.sources.records.source_names import STDIN, display_name

Numbered = tuple[int, list[str] | InputError]


class CsvSource:
    """Reads a CSV file, or a TSV file with `delimiter` a tab, plain or gzipped.

    The cursor is the number of the line on which the row starts, because a quoted
    cell may go on over several lines, and a digest of the article on it.
    """

    def __init__(
        self,
        path: str,
        problems: Report,
        now: datetime | None = None,
        delimiter: str = ",",
    ) -> None:
        check_readable(path)
        self._path = path
        self._delimiter = delimiter
        self._intake = Intake(
            display_name(path), problems, make_clock(now, live=path == STDIN)
        )

    @property
    def name(self) -> str:
        """The file, however its path was typed, or `stdin`."""
        return self._intake.name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, all when it is None."""
        header: list[str] = []
        rows = self._below_header(header)
        return self._intake.arrivals(rows, partial(_to_record, header), after)

    def _below_header(self, header: list[str]) -> Iterator[Numbered]:
        rows = _rows(self._path, self._delimiter)
        for line, row in rows:
            if isinstance(row, InputError):
                raise row  # without the names no row can be read
            header += _names(row, Place(self.name, line))
            break
        yield from rows


class _EndlessRowError(Exception):
    """A row went on over more lines than are held in memory."""


class _Feed:
    """Hands lines to the csv reader, and knows how far it has come.

    Bytes that are not UTF-8 pass through as surrogates: only when the row is whole
    is it known which row they spoil.
    """

    def __init__(self, path: str) -> None:
        self._lines = read_lines(path)
        self.line = 0
        self.size = 0
        """Bytes of the row that is being read."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.line, line = next(self._lines)
        if isinstance(line, InputError):
            raise _EndlessRowError
        self.size += len(line)
        if self.size > MAX_LINE_BYTES + 2:  # two for the line break
            raise _EndlessRowError
        return line.decode("utf-8", "surrogateescape")


def _rows(path: str, delimiter: str) -> Iterator[Numbered]:
    csv.field_size_limit(max(csv.field_size_limit(), 2 * MAX_LINE_BYTES))
    feed, name = _Feed(path), display_name(path)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        place = Place(name, feed.line + 1)
        feed.size = 0
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _EndlessRowError:
            yield place.line, too_long(place)
        except csv.Error as error:
            yield place.line, place.problem("bad-field", f"the row is not CSV: {error}")
        else:
            if any(map(str.strip, cells)):
                yield place.line, cells


def _names(cells: list[str], place: Place) -> list[str]:
    _check_utf8(cells, place)
    return [cell.strip() for cell in cells]


def _to_record(header: list[str], cells: list[str], place: Place) -> Mapping[str, str]:
    _check_utf8(cells, place)
    if len(cells) > len(header):
        raise place.problem(
            "bad-field",
            f"the row has {len(cells)} cells, but the header names {len(header)}; "
            "quote the cells that hold the delimiter",
        )
    # A short row only lacks its last cells.
    return dict(zip(header, cells, strict=False))


def _check_utf8(cells: list[str], place: Place) -> None:
    try:
        "".join(cells).encode("utf-8")
    except UnicodeEncodeError:
        raise place.problem("not-utf8", "the bytes of the row are not UTF-8") from None
