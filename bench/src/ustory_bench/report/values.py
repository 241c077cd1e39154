"""How a cell of a table reads: the same on the page, in Markdown and in LaTeX."""

from __future__ import annotations

import math

from ustory_bench.report.blocks import Table, Value
from ustory_bench.report.names import printable

DASH = "–"
MINUS = "−"
_THOUSANDS = 10_000
"""Numbers below stand without a comma, as years must."""


def text_of(cell: Value) -> str:
    """Return the cell's value as text, without its mark and interval.

    >>> text_of(Value(value=0.91758))
    '0.918'
    >>> text_of(Value(value=16136))
    '16,136'
    >>> text_of(Value(value=None))
    '–'
    """
    if cell.value is None:
        return DASH
    if isinstance(cell.value, str):
        return printable(cell.value)
    return number_text(cell.value, cell.digits)


def number_text(number: float, digits: int) -> str:
    """Return a number as papers write it; a dash where it is none."""
    if isinstance(number, bool):
        return "yes" if number else "no"
    if math.isnan(number):
        return DASH
    sign = MINUS if number < 0 else ""
    if math.isinf(number):
        return f"{sign}∞"
    size = abs(number)
    places = digits if isinstance(number, float) else 0
    text = f"{size:,.{places}f}" if size >= _THOUSANDS else f"{size:.{places}f}"
    return text if float(text.replace(",", "")) == 0 else sign + text


def interval_of(cell: Value) -> str:
    """Return the cell's interval as text, or nothing.

    >>> interval_of(Value(value=0.5, interval=(0.41, 0.6)))
    '[0.410, 0.600]'
    """
    if cell.interval is None:
        return ""
    low, high = (number_text(float(end), cell.digits) for end in cell.interval)
    return f"[{low}, {high}]"


def is_number(cell: Value) -> bool:
    """Return whether the cell holds a number that can be measured."""
    value = cell.value
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def is_text_column(table: Table, column: int) -> bool:
    """Return whether a column holds words and no number: it is set flush left.

    Words in a column of numbers, like `△ 44.4 %`, are a remark on the numbers.
    """
    cells = [row.cells[column] for row in table.rows]
    words = any(isinstance(cell.value, str) for cell in cells)
    return words and not any(is_number(cell) for cell in cells)


def heading_of(table: Table, column: int) -> str:
    """Return the column's heading with its group's before it: `newswarp-a AMI`."""
    end = 0
    for group, width in table.groups:
        end += width
        if column < end:
            return " ".join(
                filter(None, (printable(group), printable(table.columns[column])))
            )
    return printable(table.columns[column])
