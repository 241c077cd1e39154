"""Rows as JSON Lines, CSV or Parquet, written piece by piece."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from importlib.util import find_spec
from itertools import islice
from typing import Any

from ustory.core.errors import MissingExtraError
from ustory.store.formulas import defused
from ustory.web.times import moment_text

Row = Mapping[str, Any]
Columns = Mapping[str, type]
"""Names with what is in them: str, int, float, datetime, or list for many texts."""

_ROWS = 1_000
"""Rows a piece is made of."""


def json_lines(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the rows as JSON, one on a line."""
    for some in _batches(rows):
        lines = [json.dumps({c: _plain(row[c]) for c in columns}) for row in some]
        yield ("\n".join(lines) + "\n").encode("utf-8")


def csv_rows(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the rows as CSV; text that would be a formula gets an apostrophe."""
    yield _csv([list(columns)])
    for some in _batches(rows):
        yield _csv([[_cell(row[column]) for column in columns] for row in some])


def parquet_rows(columns: Columns, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the rows as a Parquet file, group by group."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, optional
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy, optional

    out = _Drain()
    kinds = {
        str: pa.string(), int: pa.int64(), float: pa.float64(),
        datetime: pa.timestamp("us", "UTC"), list: pa.list_(pa.string()),
    }  # fmt: skip
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with pq.ParquetWriter(out, schema) as writer:
        for some in _batches(rows):
            table = [
                pa.array([row[column] for row in some], kinds[kind])
                for column, kind in columns.items()
            ]
            writer.write_table(pa.table(table, schema=schema))
            yield out.taken()
    yield out.taken()


def check_installed(name: str) -> None:
    """Raise MissingExtraError where a format needs what is not installed."""
    if name == "parquet" and find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "parquet")


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while some := list(islice(iterator, _ROWS)):
        yield some


def _plain(value: object) -> object:
    return moment_text(value) if isinstance(value, datetime) else value


def _cell(value: object) -> object:
    """Return a value as a cell that no spreadsheet runs."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        value = "; ".join(str(each) for each in value)
    return defused("" if value is None else str(_plain(value)))


def _csv(rows: Iterable[Iterable[object]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8")


class _Drain(io.RawIOBase):
    """A file that only hands on what is written to it. Mutable."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        piece = bytes(data)
        self._pieces.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


Writer = Callable[[Columns, Iterable[Row]], Iterator[bytes]]
FORMATS: Mapping[str, tuple[str, Writer]] = {
    "jsonl": ("application/x-ndjson", json_lines),
    "csv": ("text/csv", csv_rows),
    "parquet": ("application/vnd.apache.parquet", parquet_rows),
}
"""The formats by their names, each with its media type."""
