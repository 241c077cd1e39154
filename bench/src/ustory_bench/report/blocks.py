"""What a report is made of: tables, figures and sections, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One cell of a table."""

    value: float | int | str | None
    """None is shown as a dash."""
    digits: int = 3
    """Digits after the point, of a float."""
    mark: str = ""
    """Stands behind the number: `*`."""
    best: bool = False
    """Shown bold."""
    interval: tuple[float, float] | None = None
    """Low and high end of a 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row, with the block of rows it belongs to."""

    name: str
    cells: Sequence[Value]
    block: str = ""
    """Rows of one block stand together under its name: `Baselines`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as papers have them: named rows in blocks, columns in groups."""

    id: str
    """File name and anchor: `table2-singleton-windowed`."""
    title: str
    columns: Sequence[str]
    """Headings of the cells; the row's name has none."""
    rows: Sequence[TableRow]
    groups: Sequence[tuple[str, int]] = ()
    """Headings over several columns, with how many: the streams."""
    note: str = ""
    """What one must know to read it: protocol, marks, intervals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A Plotly figure as plain JSON; colours, fonts and dark mode are the page's.

    Traces name a colour by its place in the page's palette, as `meta.colour`
    (0, 1, 2, …), and never by a code.
    """

    id: str
    title: str
    caption: str
    """What it shows and how to read it, with units."""
    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    """Axes with titles and units; no colours, no fonts, no sizes but ratios."""
    alt: str
    """The finding in a sentence, for those who do not see it."""
    height: int = 420


Block: TypeAlias = Table | Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One experiment on the page."""

    id: str
    title: str
    paper: str
    """Which table or figure of the paper it is, or what it adds to them."""
    text: str
    """One or two paragraphs in plain words; a blank line parts them."""
    blocks: Sequence[Block]
    faults: Sequence[str] = ()
    """What could not be measured, a sentence each."""
