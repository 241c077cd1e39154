"""The results of scale as figures, for the page on capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.report.blocks import Figure
from ustory_bench.report.palette import DASHES, SYMBOLS
from ustory_bench.scale.runs import LAWS, MODES

_NAMES = {"links": "defaults (links)", "paper": "preset paper, M = 8"}
_GIB = 1024
_FEW = 12


def figures(results: Mapping[str, Any]) -> list[Figure]:
    """Return a figure for each thing that was measured."""
    found = [_law(results), _million(results), _soak(results)]
    return [figure for figure in found if figure is not None]


def _law(results: Mapping[str, Any]) -> Figure | None:
    runs = [results[run.name] for run in LAWS if run.name in results]
    if len(runs) < len(LAWS) or "laws" not in results:
        return None
    laws = results["laws"]["modes"]
    traces = [
        _line(
            [run["modes"][mode]["window"] for run in runs],
            [run["modes"][mode]["slide_seconds"] for run in runs],
            _NAMES[mode],
            place,
        )
        for place, mode in enumerate(MODES)
        if mode in laws
    ]
    said = " and ".join(
        f"{laws[mode]['exponent']:.2f} ({_NAMES[mode]})"
        for mode in MODES
        if mode in laws
    )
    return Figure(
        id="scale-windows",
        title="Time of a slide against the window",
        caption=(
            "Median seconds of a slide of a day once the window of a week is full, "
            "text and encoding left out; both axes are logarithmic."
        ),
        traces=traces,
        layout={
            "xaxis": {"title": {"text": "articles in the window"}, "type": "log"},
            "yaxis": {"title": {"text": "seconds a slide"}, "type": "log"},
        },
        alt=f"Time grows with the window to the power of {said}.",
    )


def _million(results: Mapping[str, Any]) -> Figure | None:
    run = results.get("million")
    if run is None:
        return None
    traces = []
    for place, mode in enumerate(MODES):
        found = run["modes"].get(mode)
        if found is None:
            continue
        days = list(range(1, len(found["seconds"]) + 1))
        held = [round(mib / _GIB, 3) for mib in found["peaks_mib"]]
        traces.append(_line(days, held, _NAMES[mode], place))
        below = _line(days, found["seconds"], _NAMES[mode], place, "y2")
        traces.append({**below, "showlegend": False})
    return Figure(
        id="scale-million",
        title=f"{run['articles']:,} articles in one run",
        caption=(
            "Above: the most memory that the engine's process held during each slide, "
            "in GiB. Below: seconds of each slide. Against the days of the stream; the "
            "window is full after seven."
        ),
        traces=traces,
        layout=_two_panels("memory (GiB)", "seconds a slide", "day"),
        alt=f"Of what was held in the second week, the last third held {_grown(run)}.",
        height=520,
    )


def _grown(run: Mapping[str, Any]) -> str:
    parts = (
        f"{each['growth']} times as much ({_NAMES[mode]})"
        for mode, each in run["modes"].items()
    )
    return " and ".join(parts)


def _soak(results: Mapping[str, Any]) -> Figure | None:
    found = results.get("soak")
    if found is None:
        return None
    samples = found["samples"]
    days = samples["day"]
    return Figure(
        id="scale-soak",
        title=f"{found['days']} days of restarts, bursts and quiet",
        caption=(
            "Above: memory of the process and size of all files of the database, in "
            "MiB. Below: articles in the window and in the archive. Every six hours of "
            f"{found['slides']:,} slides and {found['restarts']} restarts."
        ),
        traces=[
            _line(days, samples["rss_mib"], "memory", 0),
            _line(days, samples["database_mib"], "database", 1),
            _line(days, samples["inside"], "in the window", 2, "y2"),
            _line(days, samples["archived"], "archived", 3, "y2"),
        ],
        layout=_two_panels("MiB", "articles", "day"),
        alt="; ".join(
            f"{each['what']}: {each['measured']}, {each['allowed']} allowed"
            for each in found["bounds"]
        ),
        height=520,
    )


def _line(
    x: Sequence[float], y: Sequence[float], name: str, place: int, axis: str = "y"
) -> dict[str, Any]:
    """Return a line; few points are marked, and many are not."""
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(x) <= _FEW else "lines",
        "name": name,
        "legendgroup": name,
        "showlegend": True,
        "x": list(x),
        "y": list(y),
        "xaxis": "x",
        "yaxis": axis,
        "marker": {"symbol": SYMBOLS[place], "size": 8},
        "line": {"dash": DASHES[place]},
        "meta": {"colour": place},
    }


def _two_panels(upper: str, lower: str, across: str) -> dict[str, Any]:
    return {
        "xaxis": {"title": {"text": across}, "anchor": "y2"},
        "yaxis": {
            "title": {"text": upper},
            "domain": [0.56, 1.0],
            "rangemode": "tozero",
        },
        "yaxis2": {
            "title": {"text": lower},
            "domain": [0.0, 0.44],
            "rangemode": "tozero",
        },
    }
