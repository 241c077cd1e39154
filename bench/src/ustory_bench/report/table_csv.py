"""Tables as CSV: every digit, for those who count on."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from ustory_bench.report.blocks import Section, Table, Value
from ustory_bench.report.files import write_text
from ustory_bench.report.names import printable, safe_name
from ustory_bench.report.values import heading_of
from ustory_bench.report.wellformed import check_sections

_FORMULA = re.compile(r"[=+\-@]")
_NUMBER = re.compile(r"[+-]?[\d.,]+\s*%?")


def write_tables(sections: Sequence[Section], folder: Path) -> None:
    """Write each table to a file named after its id."""
    check_sections(sections)
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Table):
                text = csv_text(rows_of(block))
                write_text(folder / f"{safe_name(block.id)}.csv", text)


def rows_of(table: Table) -> list[list[str]]:
    """Return the heading and the rows, values unrounded, empty where there is none.

    A column with intervals is followed by its low and high ends, one with marks by
    the marks.
    """
    parts = [_parts(table, column) for column in range(len(table.columns))]
    names = [
        " ".join((heading_of(table, i), suffix)).strip()
        for i, suffixes in enumerate(parts)
        for suffix in suffixes
    ]
    body = [
        [
            _safe(row.block),
            _safe(row.name),
            *(
                _part(cell, suffix)
                for cell, suffixes in zip(row.cells, parts, strict=True)
                for suffix in suffixes
            ),
        ]
        for row in table.rows
    ]
    return [["block", "row", *map(_safe, names)], *body]


def csv_text(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV."""
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def field_of(value: object) -> str:
    """Return one value as a field; a text that a spreadsheet would run is quoted.

    >>> field_of("=1+1"), field_of("+3.2 %"), field_of(0.1), field_of(None)
    ("'=1+1", '+3.2 %', '0.1', '')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return _safe(value) if isinstance(value, str) else str(value)


def _safe(text: str) -> str:
    clean = printable(text)
    runs = _FORMULA.match(clean) and not _NUMBER.fullmatch(clean)
    return f"'{clean}" if runs else clean


def _parts(table: Table, column: int) -> list[str]:
    cells = [row.cells[column] for row in table.rows]
    parts = [""]
    if any(cell.interval is not None for cell in cells):
        parts += ["low", "high"]
    if any(cell.mark for cell in cells):
        parts.append("mark")
    return parts


def _part(cell: Value, part: str) -> str:
    low, high = (None, None) if cell.interval is None else cell.interval
    found = {"": cell.value, "low": low, "high": high, "mark": cell.mark}
    return field_of(found[part])
