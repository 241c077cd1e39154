"""A figure of a report as HTML: its data for the page's script, its words for all."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ustory_bench.report.blocks import Figure
from ustory_bench.report.downloads import csv_link
from ustory_bench.report.figure_csv import rows_of
from ustory_bench.report.markup import Markup, element
from ustory_bench.report.names import printable, safe_name

_TAG = re.compile(r"<(?!/?(?:b|i|br|sub|sup|extra)\s*/?>)")
"""An opening bracket that begins none of the few bare tags that figures may use."""


def figure_html(figure: Figure) -> Markup:
    """Return the figure: an empty box that the page's script draws into.

    Readers who do not see it get `alt`, those without scripts a sentence.
    """
    anchor = safe_name(figure.id)
    caption = element(
        "figcaption",
        element("b", _sentence(figure.title)),
        " ",
        printable(figure.caption),
        id=f"caption-{anchor}",
    )
    return element(
        "figure",
        _plot(figure, anchor) if figure.traces else _nothing(),
        caption,
        csv_link(rows_of(figure), anchor, figure.title) if figure.traces else "",
        class_="plotted",
        id=f"block-{anchor}",
    )


def safe_json(data: object) -> Markup:
    """Return JSON that can stand between script tags, whatever texts it holds.

    Numbers that JSON does not know are null; texts keep no tags but the bare ones of
    figures, as Plotly would make links and styles of others.
    """
    text = json.dumps(_plain(data), ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _plot(figure: Figure, anchor: str) -> Markup:
    drawn = element(
        "div",
        element("noscript", "This figure is drawn by a script; it says: ", figure.alt),
        class_="plot",
        id=f"plot-{anchor}",
        role="img",
        aria_label=printable(figure.alt),
        style=f"height:{figure.height}px",
        data_height=figure.height,
    )
    data = {"traces": list(figure.traces), "layout": figure.layout}
    held = element("script", safe_json(data), type="application/json")
    return element("div", drawn, held, class_="scroll")


def _sentence(title: str) -> str:
    text = printable(title)
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _nothing() -> Markup:
    told = "There is nothing to draw: none of its measurements has a result."
    return element("p", told, class_="nothing")


def _plain(data: object) -> Any:  # noqa: ANN401 - JSON of any shape
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    if isinstance(data, str):
        return _TAG.sub("&lt;", data)
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
