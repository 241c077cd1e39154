"""The numbers of a figure as CSV, one row a point."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from ustory_bench.report.blocks import Figure
from ustory_bench.report.table_csv import field_of

_LISTS = (
    *("x", "y", "z", "labels", "values", "base", "text", "hovertext"),
    *("lowerfence", "q1", "median", "q3", "upperfence", "mean"),
    *("error_x.array", "error_x.arrayminus", "error_y.array", "error_y.arrayminus"),
    *("marker.size", "marker.color"),
)
_TAGS = re.compile(r"</?(?:b|i|br|sub|sup|extra)\s*/?>")


def rows_of(figure: Figure) -> list[list[str]]:
    """Return the heading and a row for each point of each trace.

    Columns are those lists of Plotly's that some trace has: places, values, error
    bars, texts. The cells of a heat map are its points, and so are the boxes of a
    box plot that is given by its quartiles.
    """
    points = [
        {"trace": trace.get("name") or f"trace {number}", **point}
        for number, trace in enumerate(figure.traces, 1)
        for point in _points(trace)
    ]
    named = ["trace", *(key for key in _LISTS if any(key in p for p in points))]
    return [named, *([field_of(_words(p.get(key))) for key in named] for p in points)]


def _words(value: object) -> object:
    """Return a text of a figure as plain text: without its tags and entities."""
    return unescape(_TAGS.sub(" ", value)) if isinstance(value, str) else value


def _points(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    lists = {key: found for key in _LISTS if (found := _list_at(trace, key))}
    if any(isinstance(row, list | tuple) for row in lists.get("z", ())):
        return _cells(lists)
    length = max(map(len, lists.values()), default=0)
    return [
        {key: found[i] for key, found in lists.items() if i < len(found)}
        for i in range(length)
    ]


def _cells(lists: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return a heat map's cells; columns without a name are numbered from 0."""
    return [
        {"x": _at(lists.get("x"), j), "y": _at(lists.get("y"), i), "z": value}
        for i, row in enumerate(lists["z"])
        for j, value in enumerate(row)
    ]


def _at(names: Sequence[Any] | None, place: int) -> object:
    return names[place] if names is not None and place < len(names) else place


def _list_at(trace: Mapping[str, Any], key: str) -> list[Any]:
    found: Any = trace
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return list(found) if isinstance(found, list | tuple) else []
