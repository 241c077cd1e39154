"""The first hours of a new engine as a figure, for the page on cold starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.report.blocks import Figure
from ustory_bench.report.palette import DASHES, SYMBOLS

_TITLE = "B³-F1 in the first hours"
_FIRST, _LAST = "1", "48"


def figures(results: Mapping[str, Any]) -> list[Figure]:
    """Return the figure of cold engines beside warm ones; none without results."""
    streams = results.get("streams", {})
    if not streams:
        return []
    traces = [
        _line(name, each["hours"], what, place)
        for what in ("cold", "warm")
        for place, (name, each) in enumerate(streams.items())
    ]
    return [
        Figure(
            id="cold-start",
            title=_TITLE,
            caption=(
                "Left: engines that knew nothing when the day began. Right: an engine "
                "that read all days before, at the same moments, scored on the same "
                "articles. Against hours since the day began; the axis is logarithmic."
            ),
            traces=traces,
            layout={
                "xaxis": _hours(0.0, 0.46),
                "yaxis": {"title": {"text": "B³-F1"}, "range": [0.5, 1.02]},
                "xaxis2": {**_hours(0.54, 1.0), "anchor": "y2"},
                "yaxis2": {"range": [0.5, 1.02], "anchor": "x2"},
            },
            alt=f"Cold less warm: {_told(streams)}.",
            height=460,
        )
    ]


def _told(streams: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name} {_less(each['hours'][_FIRST])} after an hour and "
        f"{_less(each['hours'][_LAST])} after {_LAST}"
        for name, each in streams.items()
    )


def _less(row: Mapping[str, Any]) -> str:
    cold, warm = (row[what]["bcubed_f1"] for what in ("cold", "warm"))
    return "–" if cold is None or warm is None else f"{cold - warm:+.2f}"


def _hours(first: float, last: float) -> dict[str, Any]:
    hours: Sequence[int] = (1, 2, 4, 8, 12, 24, 48)
    return {
        "title": {"text": "hours"},
        "type": "log",
        "domain": [first, last],
        "tickvals": list(hours),
        "ticktext": [str(hour) for hour in hours],
    }


def _line(name: str, hours: Mapping[str, Any], what: str, place: int) -> dict[str, Any]:
    axis = "" if what == "cold" else "2"
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "legendgroup": name,
        "showlegend": not axis,
        "x": [int(hour) for hour in hours],
        "y": [row[what]["bcubed_f1"] for row in hours.values()],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
        "line": {"dash": DASHES[place % len(DASHES)]},
        "meta": {"colour": place % len(SYMBOLS)},
    }
