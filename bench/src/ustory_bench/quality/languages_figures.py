"""Links across languages as a curve, for the page on languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.report.blocks import Figure
from ustory_bench.report.palette import DASHES, SYMBOLS

STREAMS = {"titles": "", "texts": "2"}
"""The streams that are drawn, and the axis of each."""
LINES = {"without": "words alone", "all": "with gists", "plain": "plain cosine"}
"""The systems that are drawn, as they are called."""


def figures(results: Mapping[str, Any]) -> list[Figure]:
    """Return precision against recall of links across languages; none if unmeasured."""
    streams = results.get("streams", {})
    if any(name not in streams for name in STREAMS):
        return []
    traces = [
        _line(title, streams[name]["systems"][system]["links"]["rows"], place, axis)
        for name, axis in STREAMS.items()
        for place, (system, title) in enumerate(LINES.items())
    ]
    return [
        Figure(
            id="languages-links",
            title="Links across languages",
            caption="Precision and recall of pairs in two languages, by how likely a "
            "link is, or by the plain cosine. Left: titles. Right: whole texts. Each "
            "point is a threshold; the lowest are on the right.",
            traces=traces,
            layout={
                "xaxis": {"title": {"text": "recall"}, **_span(0.0, 0.46)},
                "yaxis": {"title": {"text": "precision"}, "range": [0, 1.02]},
                "xaxis2": {
                    "title": {"text": "recall"},
                    "anchor": "y2",
                    **_span(0.54, 1.0),
                },
                "yaxis2": {"range": [0, 1.02], "anchor": "x2"},
            },
            alt=f"Recall at a precision of 0.8: {_told(streams)}.",
            height=460,
        )
    ]


def _told(streams: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name}: "
        + ", ".join(
            f"{title} "
            f"{streams[name]['systems'][system]['links']['recall_at_wanted']:.2f}"
            for system, title in LINES.items()
        )
        for name in STREAMS
    )


def _span(first: float, last: float) -> dict[str, Any]:
    return {"range": [0, 1.02], "domain": [first, last]}


def _line(
    name: str, rows: Sequence[Mapping[str, Any]], place: int, axis: str
) -> dict[str, Any]:
    told = [row for row in rows if row["precision"] is not None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "legendgroup": name,
        "showlegend": not axis,
        "x": [row["recall"] for row in told],
        "y": [row["precision"] for row in told],
        "text": [str(row["threshold"]) for row in told],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
        "line": {"dash": DASHES[place % len(DASHES)]},
        "meta": {"colour": place % len(SYMBOLS)},
    }
