"""Reliability curves as figures, for the page on probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.report.blocks import Figure
from ustory_bench.report.palette import DASHES, SYMBOLS

ENOUGH = 20
"""Readings of a bin that is drawn: the share of fewer is mostly chance."""

_AS_SAID = 6
"""Place in the palette of the line where share and probability are the same."""


def figures(results: Mapping[str, Any]) -> list[Figure]:
    """Return the curves of pairs and of articles, none where nothing was measured."""
    streams = results.get("streams", {})
    if not streams:
        return []
    return [
        _figure("pairs", streams, ("arrival", "settled")),
        _figure("articles", streams, ("first", "last")),
    ]


_WORDS = {
    "pairs": (
        "Pairs of articles: how many have one label",
        "Left: each pair when the newer of its articles has come. Right: the same "
        "pairs before the older one leaves.",
        "share that has one label",
    ),
    "articles": (
        "Articles: how many are in the right story",
        "Left: the first decision that puts an article into a story, judged by the "
        "story of that moment. Right: the last one, judged by the story in the end.",
        "share that is right",
    ),
}


def _figure(what: str, streams: Mapping[str, Any], kinds: tuple[str, str]) -> Figure:
    title, caption, share = _WORDS[what]
    traces: list[Mapping[str, Any]] = []
    for axis, kind in zip(("", "2"), kinds, strict=True):
        traces.append(_as_said(axis))
        for place, (name, each) in enumerate(streams.items()):
            traces.append(_curve(name, each[kind]["bins"], place, axis))
    low, high = (100 * end for end in (0.85, 0.95))
    told = ", ".join(
        f"{100 * row['right']:.0f} % ({name})"
        for name, each in streams.items()
        if (row := each[kinds[0]]["about_90"])["count"]
    )
    return Figure(
        id=f"reliability-{what}",
        title=title,
        caption=f"{caption} The grey line is what was said. Bins of fewer than "
        f"{ENOUGH} are left out.",
        traces=traces,
        layout={
            "xaxis": {"title": {"text": "probability"}, **_span(0.0, 0.46)},
            "yaxis": {"title": {"text": share}, "range": [0, 1.02]},
            "xaxis2": {
                "title": {"text": "probability"},
                "anchor": "y2",
                **_span(0.54, 1.0),
            },
            "yaxis2": {"range": [0, 1.02], "anchor": "x2"},
        },
        alt=f"Of what is {low:.0f} to {high:.0f} % likely on the left, right are "
        f"{told}.",
        height=460,
    )


def _span(first: float, last: float) -> dict[str, Any]:
    return {"range": [0, 1.02], "domain": [first, last]}


def _curve(
    name: str, bins: Sequence[Mapping[str, Any]], place: int, axis: str
) -> dict[str, Any]:
    rows = [row for row in bins if row["count"] >= ENOUGH]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "legendgroup": name,
        "showlegend": not axis,
        "x": [row["mean"] for row in rows],
        "y": [row["right"] for row in rows],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
        "line": {"dash": DASHES[place % len(DASHES)]},
        "meta": {"colour": place % _AS_SAID},
    }


def _as_said(axis: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "as said",
        "legendgroup": "as said",
        "showlegend": not axis,
        "x": [0, 1],
        "y": [0, 1],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"dash": "dot", "width": 1},
        "meta": {"colour": _AS_SAID + 1},
    }
