"""A table of a report as HTML that a screen reader can walk through."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ustory_bench.report.blocks import Table, TableRow, Value
from ustory_bench.report.downloads import csv_link
from ustory_bench.report.markup import Markup, element, join
from ustory_bench.report.names import printable, safe_name
from ustory_bench.report.table_csv import rows_of
from ustory_bench.report.values import interval_of, is_text_column, text_of

_MANY = 8
"""More columns than this are set smaller on paper."""
_LONG = 28
"""Texts longer than this are broken into lines."""
_BROKEN = 15
"""Headings and names longer than this may be broken into lines."""


def table_html(table: Table) -> Markup:
    """Return the table in a box of its own that scrolls where it is too wide."""
    anchor = safe_name(table.id)
    caption, note = f"caption-{anchor}", f"note-{anchor}"
    body = element(
        "table",
        _column_groups(table),
        _head(table),
        *_bodies(table),
        aria_labelledby=caption,
        aria_describedby=note if table.note else None,
        class_="many" if len(table.columns) > _MANY else None,
    )
    box = element(
        "div",
        body,
        class_="scroll",
        role="region",
        aria_labelledby=caption,
        tabindex=0,
    )
    return element(
        "figure",
        element("figcaption", element("b", printable(table.title)), id=caption),
        box,
        element("p", printable(table.note), class_="note", id=note)
        if table.note
        else "",
        csv_link(rows_of(table), anchor, table.title),
        class_="table",
        id=f"block-{anchor}",
    )


def _column_groups(table: Table) -> Markup:
    widths = [width for _, width in table.groups] or [len(table.columns)]
    return join(element("colgroup", span=width) for width in (1, *widths))


def _head(table: Table) -> Markup:
    names = join(
        element("th", printable(name), scope="col", class_=_heading_kind(table, i))
        for i, name in enumerate(table.columns)
    )
    if not table.groups:
        return element("thead", element("tr", element("td"), names))
    groups = join(
        element("th", printable(name), scope="colgroup", colspan=width)
        if name
        else element("td", colspan=width)
        for name, width in table.groups
    )
    corner = element("td", rowspan=2)
    return element(
        "thead",
        element("tr", corner, groups, class_="groups"),
        element("tr", names),
    )


def _bodies(table: Table) -> Iterator[Markup]:
    starts = _starts(table)
    for block, rows in groupby(table.rows, key=lambda row: row.block):
        name = element(
            "th",
            element("span", printable(block)),
            scope="rowgroup",
            colspan=len(table.columns) + 1,
        )
        yield element(
            "tbody",
            element("tr", name, class_="block") if block else "",
            *(_row(table, row, starts) for row in rows),
        )


def _row(table: Table, row: TableRow, starts: set[int]) -> Markup:
    cells = join(
        _cell(cell, _kind(table, i), start=i in starts)
        for i, cell in enumerate(row.cells)
    )
    length = len(row.name)
    kind = "long" if length > _LONG else "some" if length > _BROKEN else None
    name = element("th", printable(row.name), scope="row", class_=kind)
    return element("tr", name, cells)


def _cell(cell: Value, kind: str | None, *, start: bool) -> Markup:
    """Return a cell; its mark hangs out, so that digits stand under each other."""
    text = text_of(cell)
    interval = interval_of(cell)
    aside = kind is None and isinstance(cell.value, str)
    classes = [kind, "aside" if aside else None, "start" if start else None]
    return element(
        "td",
        element("b", text) if cell.best else text,
        element("sup", printable(cell.mark)) if cell.mark else "",
        element("small", interval) if interval else "",
        class_=" ".join(filter(None, classes)) or None,
    )


def _kind(table: Table, column: int) -> str | None:
    """Return whether a column is set flush left, and broken into lines."""
    if not is_text_column(table, column):
        return None
    longest = max(len(text_of(row.cells[column])) for row in table.rows)
    return "words" if longest > _LONG else "word"


def _heading_kind(table: Table, column: int) -> str | None:
    """Return how a heading is set: like its column, a long one in lines.

    One of several words is broken where the page is too narrow for the table.
    """
    kind, heading = _kind(table, column), table.columns[column]
    if kind is not None:
        return kind
    long, some = len(heading) > _BROKEN, " " in heading.strip()
    return "long" if long else "some" if some else None


def _starts(table: Table) -> set[int]:
    """Return the columns with which a group begins, but the first."""
    places: set[int] = set()
    end = 0
    for _, width in table.groups[:-1]:
        end += width
        places.add(end)
    return places
