"""Says in words what is wrong with a section, before anything is written of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from ustory.core.errors import UStoryError
from ustory_bench.report.blocks import Figure, Section, Table
from ustory_bench.report.names import safe_name


class SectionError(UStoryError, ValueError):
    """A section, table or figure that cannot be shown as it is."""


def check_sections(sections: Sequence[Section]) -> None:
    """Raise SectionError for the first thing that cannot be shown.

    Every writer calls it first, so that a folder has all files of a report or none.
    """
    _check_distinct("sections", (section.id for section in sections))
    blocks = [block for section in sections for block in section.blocks]
    _check_distinct("tables and figures", (block.id for block in blocks))
    for section in sections:
        _need(section.title, f"section {section.id!r}", "title")
    for block in blocks:
        if isinstance(block, Table):
            check_table(block)
        else:
            check_figure(block)


def check_table(table: Table) -> None:
    """Raise SectionError unless rows, columns and groups fit each other."""
    name = f"table {table.id!r}"
    _need(table.title, name, "title")
    columns = len(table.columns)
    if not columns:
        raise SectionError(f"{name} has no columns; give it at least one")
    for row in table.rows:
        if len(row.cells) != columns:
            raise SectionError(
                f"{name}: every row has a cell for each of the {columns} columns; "
                f"row {row.name!r} has {len(row.cells)}: give the missing ones "
                "as Value(value=None)"
            )
    _check_groups(table, name)
    for problem in _cell_problems(table):
        raise SectionError(f"{name}, {problem}")


def check_figure(figure: Figure) -> None:
    """Raise SectionError unless the figure can be drawn and told in words."""
    name = f"figure {figure.id!r}"
    _need(figure.title, name, "title")
    _need(figure.alt, name, "alt text")
    if figure.height < 1:
        raise SectionError(
            f"{name}: height is in pixels and at least 1, got {figure.height}"
        )
    try:
        json.dumps([list(map(dict, figure.traces)), dict(figure.layout)])
    except (TypeError, ValueError) as error:
        raise SectionError(
            f"{name}: traces and layout hold what JSON can hold: {error}; "
            "make lists of arrays, and text of dates"
        ) from error
    for trace in figure.traces:
        _check_colour(trace.get("meta"), name)


def _check_distinct(kind: str, ids: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for one in ids:
        if not one:
            raise SectionError(f"one of the {kind} has an empty id; name it")
        # files are named after ids, and some disks do not tell A from a
        key = safe_name(one).lower()
        if key in seen:
            raise SectionError(
                f"ids of {kind} must differ, also when written small; "
                f"got {seen[key]!r} and {one!r}: rename one"
            )
        seen[key] = one


def _need(text: str, owner: str, what: str) -> None:
    if not text.strip():
        raise SectionError(f"{owner} has no {what}; say in words what it shows")


def _check_groups(table: Table, name: str) -> None:
    widths = [width for _, width in table.groups]
    if not widths:
        return
    if min(widths) < 1:
        raise SectionError(
            f"{name}: a group spans at least one column, got widths {widths}"
        )
    if sum(widths) != len(table.columns):
        raise SectionError(
            f"{name}: the groups must span all {len(table.columns)} columns; "
            f"their widths {widths} add up to {sum(widths)}"
        )


def _cell_problems(table: Table) -> Iterator[str]:
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            place = f"row {row.name!r}, column {column!r}"
            if cell.digits < 0:
                yield f"{place}: digits are at least 0, got {cell.digits}"
            if cell.interval is not None and cell.interval[0] > cell.interval[1]:
                yield f"{place}: an interval goes from low to high, got {cell.interval}"


def _check_colour(meta: object, name: str) -> None:
    colour = meta.get("colour") if isinstance(meta, dict) else None
    places = colour if isinstance(colour, list) else [colour]
    for place in places:
        if place is not None and (type(place) is not int or place < 0):
            raise SectionError(
                f"{name}: meta.colour is a place in the palette (0, 1, 2, …) or a "
                f"list of them, got {colour!r}"
            )
