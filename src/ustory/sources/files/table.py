"""Articles from CSV and TSV: one row per article, the names in the first row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from ustory.core.errors import InputError
from ustory.core.protocols import Source
from ustory.sources.files.lines import MAX_LINE_BYTES, read_lines, too_long
from ustory.sources.files.record_source import RecordSource
from ustory.sources.open import Fit, ReadOptions, has_suffix
from ustory.sources.records.cursor import display_name
from ustory.sources.records.problems import Place, Report

Numbered = tuple[int, list[str] | InputError]


class CsvSource(RecordSource[list[str]]):
    """Reads a CSV file, or a TSV file with `delimiter` a tab, plain or gzipped.

    The number of a record is that of the line on which the row starts: a quoted cell
    may go on over several lines.
    """

    def __init__(
        self,
        path: str,
        problems: Report,
        now: datetime | None = None,
        delimiter: str = ",",
    ) -> None:
        super().__init__(path, problems, now)
        self._delimiter = delimiter
        self._header: list[str] = []

    def _rows(self) -> Iterator[Numbered]:
        rows = _rows(self._path, self._delimiter)
        for line, row in rows:
            if isinstance(row, InputError):
                raise row  # without the names no row can be read
            _check_utf8(row, Place(self.name, line))
            self._header = [cell.strip() for cell in row]
            break
        yield from rows

    def _record(self, row: list[str], place: Place) -> Mapping[str, object]:
        _check_utf8(row, place)
        if len(row) > len(self._header):
            raise place.problem(
                "bad-field",
                f"the row has {len(row)} cells, but the header names "
                f"{len(self._header)}; quote the cells that hold the delimiter",
            )
        # A short row only lacks its last cells.
        return dict(zip(self._header, row, strict=False))


@dataclass(frozen=True, slots=True)
class _Table:
    """The kind of source for tables as text, by the end of a file's name."""

    suffix: str
    delimiter: str
    extra: None = None

    def fit(self, where: str) -> Fit:
        """Recognise the end of a file's name."""
        return Fit.NAME if has_suffix(where, self.suffix) else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source, which is read once."""
        return CsvSource(where, options.report, options.now, self.delimiter)


CSV, TSV = _Table(".csv", ","), _Table(".tsv", "\t")


class _EndlessRowError(Exception):
    """A row went on over more lines than are held in memory."""


class _CsvLines:
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
    lines, name = _CsvLines(path), display_name(path)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        place = Place(name, lines.line + 1)
        lines.size = 0
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


def _check_utf8(cells: list[str], place: Place) -> None:
    try:
        "".join(cells).encode("utf-8")
    except UnicodeEncodeError:
        raise place.problem("not-utf8", "the bytes of the row are not UTF-8") from None
