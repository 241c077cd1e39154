"""Tables as Markdown, for a README or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ustory_bench.report.blocks import Section, Table, TableRow, Value
from ustory_bench.report.files import write_text
from ustory_bench.report.names import printable
from ustory_bench.report.values import heading_of, interval_of, is_text_column, text_of
from ustory_bench.report.wellformed import check_sections

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$&]")
_AT_THE_START = re.compile(r"^(\d*)([-+=.)])(?=[\s=-]|$)")
_LINK = re.compile(r"(?i)(https?|ftp|www)(?=[:.])|@")


def write_tables(sections: Sequence[Section], path: Path) -> None:
    """Write all tables to one file, under the titles of their sections."""
    check_sections(sections)
    parts = [part for section in sections for part in _section(section)]
    write_text(path, "\n\n".join(parts) + "\n")


def table_of(table: Table) -> str:
    """Return the table; blocks are rows of their own, groups part of the headings."""
    width = range(len(table.columns))
    rules = ["---" if is_text_column(table, i) else "---:" for i in width]
    lines = [
        _line(["", *(escaped(heading_of(table, i)) for i in width)]),
        _line(["---", *rules]),
        *_rows(table.rows, len(table.columns)),
    ]
    return "\n".join(lines)


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, links and tags included.

    >>> print(escaped("a|b *c*"))
    a\|b \*c\*
    """
    plain = _SPECIAL.sub(r"\\\g<0>", printable(text))
    plain = _AT_THE_START.sub(r"\1\\\2", plain)
    # an empty comment parts what would be made a link or call somebody
    return _LINK.sub(r"\g<0><!-- -->", plain)


def _section(section: Section) -> Iterator[str]:
    tables = [block for block in section.blocks if isinstance(block, Table)]
    if not tables:
        return
    yield f"## {escaped(section.title)}"
    for table in tables:
        yield f"### {escaped(table.title)}"
        yield table_of(table)
        if table.note:
            yield escaped(table.note)


def _rows(rows: Sequence[TableRow], columns: int) -> Iterator[str]:
    block = ""
    for row in rows:
        if row.block and row.block != block:
            yield _line([f"*{escaped(row.block)}*", *[""] * columns])
        block = row.block
        yield _line([escaped(row.name), *map(_cell, row.cells)])


def _cell(cell: Value) -> str:
    text = escaped(text_of(cell))
    interval = escaped(interval_of(cell))
    shown = (f"**{text}**" if cell.best else text) + escaped(cell.mark)
    return f"{shown} {interval}".strip()


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
