"""Exports hold every row, in memory only piece by piece."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.store.export import Row, csv_rows, json_lines, parquet_rows

COLUMNS = {"id": str, "size": int, "heat": float, "at": datetime, "words": list}
NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)


def _row(text: str = "a", number: int = 1) -> Row:
    return {"id": text, "size": number, "heat": 0.5, "at": NOW, "words": ["x", text]}


def _read_csv(pieces: Iterator[bytes]) -> list[dict[str, str]]:
    text = b"".join(pieces).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_json_lines_hold_what_the_rows_hold() -> None:
    lines = b"".join(json_lines(COLUMNS, [_row(), _row("b", 2)])).splitlines()

    assert json.loads(lines[1]) == {
        "id": "b", "size": 2, "heat": 0.5, "at": "2024-03-07T12:00:00Z",
        "words": ["x", "b"],
    }  # fmt: skip


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_cell_of_a_csv_is_a_formula(text: str) -> None:
    (row,) = _read_csv(csv_rows(COLUMNS, [_row(text)]))

    assert not row["id"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row["id"].removeprefix("'") == text.removeprefix("'")


def test_numbers_below_zero_stay_numbers() -> None:
    (row,) = _read_csv(csv_rows(COLUMNS, [_row(number=-5)]))

    assert row["size"] == "-5"


@pytest.mark.parametrize("rows", [0, 1, 2_500])
def test_parquet_files_can_be_read_with_their_types(rows: int) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is missing")
    given_rows = [_row(str(n), n) for n in range(rows)]

    data = b"".join(parquet_rows(COLUMNS, iter(given_rows)))

    table = pq.read_table(io.BytesIO(data))
    assert table.to_pylist() == given_rows
    assert str(table.schema.field("at").type) == "timestamp[us, tz=UTC]"


def test_rows_are_read_while_they_are_written() -> None:
    read = 0

    def rows() -> Iterator[Row]:
        nonlocal read
        for number in range(10_000):
            read += 1
            yield _row(number=number)

    pieces = json_lines(COLUMNS, rows())
    next(pieces)

    assert read == 1_000
