"""How window sizes are drawn and told: Fig. 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.experiments.stream_windows import window_of
from ustory_bench.experiments.sweep_lines import (
    F1,
    MILLISECONDS,
    Look,
    Point,
    distinct,
    line,
    number,
    table_value,
    two_panels,
    where,
)
from ustory_bench.experiments.sweeps import OURS
from ustory_bench.report.blocks import Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Plain

TIME, NUMBER = "time", "number"
"""What windows are measured in."""


def window_blocks(
    data: Mapping[str, Plain], points: Sequence[Point], stream: str
) -> list[Figure | Table]:
    """Return what is shown of one stream: by time, by articles, and as a table."""
    kept = [each for each in points if _full(each)]
    timely = where(kept, unit=TIME)
    finding = _finding(where(points, unit=TIME), stream, window_of(data, stream))
    return [
        _figure_by_time(data, timely, stream, finding),
        _figure_by_number(data, kept, stream),
        _table(data, where(points, unit=TIME), stream),
    ]


def _full(point: Point) -> bool:
    """Say whether a window of this size was ever full; a failed point stays a gap."""
    return point["result"] is None or point["result"]["full_windows"]


def window_text(data: Mapping[str, Plain]) -> str:
    """Return what was done, how to read it, and what was found on each stream."""
    points = where(data["points"], unit=TIME)
    what = (
        "Systems run at their defaults in windows of several sizes. Time is the mean "
        "wall-clock time of one slide of a full window, of the method alone: text and "
        "encodings were ready before. B³-F1 is the mean over the same windows "
        "(protocol singleton); a longer window holds more articles and more stories, "
        "so scores at two sizes are of different tasks, and systems are compared at "
        "the same size. To bound "
        f"what it costs, only the last {data['articles']} articles' worth of whole "
        "days of each stream are read. Our engine can also slide by number of "
        "articles; the baselines know windows by time only."
    )
    found = [
        _finding(where(points, stream=stream), stream, window_of(data, stream))
        for stream in distinct(points, "stream")
    ]
    return f"{what}\n\n{' '.join(found)}"


def _finding(points: Sequence[Point], stream: str, size: str) -> str:
    """Return in a sentence or two who is best and whose time grows how much."""
    scores = {
        each["system"]: value
        for each in where(points, size=size)
        if (value := number(each, F1)) is not None
    }
    if not scores:
        return f"On {stream} nothing could be measured in windows of {size}."
    best = max(scores, key=lambda name: scores[name])
    said = (
        f"On {stream}, in windows of {size}, the highest B³-F1 is {scores[best]:.3f}, "
        f"by {best}"
    )
    ours = next((name for name in OURS if name in scores), None)
    if ours is not None and ours != best:
        said += f"; {ours} has {scores[ours]:.3f}"
    shown = [name for name in dict.fromkeys([ours, best]) if name is not None]
    grown = [_growth(where(points, system=name), name) for name in shown]
    return " ".join([f"{said}.", *filter(None, grown)])


def _growth(points: Sequence[Point], system: str) -> str:
    """Return how the time of a system goes with the size of the window."""
    times = [
        (each["size"], value)
        for each in points
        if _full(each) and (value := number(each, MILLISECONDS)) is not None
    ]
    if len(times) < 2:
        return ""
    (small, before), (large, after) = times[0], times[-1]
    return (
        f"{system} takes {before:.1f} ms a window of {small} and {after:.1f} ms one "
        f"of {large}."
    )


def _bars(data: Mapping[str, Plain]) -> str:
    return (
        "Bars are 95 % intervals of the mean, by a bootstrap over blocks of windows, "
        f"where there are enough. Last {data['articles']} articles' worth of days; "
        "sizes that no window reached are left out."
    )


def _figure_by_time(
    data: Mapping[str, Plain], points: Sequence[Point], stream: str, finding: str
) -> Figure:
    return Figure(
        id=f"windows-{stream}",
        title=f"Window size by time on {stream}",
        caption=(
            "Above: mean time to process one window (milliseconds, logarithmic), text "
            "and encoding left out. Below: windowed B³-F1, protocol singleton. Against "
            f"the window size W in days, in slides of {data['slide']}. {_bars(data)}"
        ),
        traces=_lines(points),
        layout={
            "xaxis": {
                "title": {"text": "window size W (days)"},
                "anchor": "y2",
                "tickvals": sorted({each["x"] for each in points}),
            },
            **_panels(),
        },
        alt=finding,
        height=560,
    )


def _figure_by_number(
    data: Mapping[str, Plain], points: Sequence[Point], stream: str
) -> Figure:
    """Return the same against articles: windows by time stand where their mean is."""
    timely, counted = where(points, unit=TIME), where(points, unit=NUMBER)
    systems = distinct(timely, "system")
    traces = _lines(timely, articles=True)
    for place, system in enumerate(distinct(counted, "system")):
        name, own = f"{system}, by number", where(counted, system=system)
        traces += _pair(own, name, len(systems) + place, [each["x"] for each in own])
    return Figure(
        id=f"windows-articles-{stream}",
        title=f"Articles in the window on {stream}",
        caption=(
            "Time per window (milliseconds) and windowed B³-F1 as above, against the "
            "number of articles in the window; both x and time are logarithmic. "
            "Windows by time stand at their mean number of labelled articles and slide "
            f"by {data['slide']}; windows by number, which only our engine has, "
            f"slide by {data['step']} articles. {_bars(data)}"
        ),
        traces=traces,
        layout={
            "xaxis": {
                "title": {"text": "articles in the window"},
                "anchor": "y2",
                "type": "log",
            },
            **_panels(),
        },
        alt=_number_finding(counted, stream),
        height=580,
    )


def _number_finding(points: Sequence[Point], stream: str) -> str:
    said = [
        f"{each['system']} has B³-F1 {score:.3f} in windows of {each['size']} articles"
        for each in points
        if each["system"] == points[0]["system"]
        and (score := number(each, F1)) is not None
    ]
    if not said:
        return f"On {stream} no window by number of articles was full."
    return f"On {stream}, {'; '.join(said)}."


def _panels() -> dict[str, Any]:
    axes = two_panels("time per window (ms)", "B³-F1")
    axes["yaxis"]["type"] = "log"
    return axes


def _lines(points: Sequence[Point], articles: bool = False) -> list[dict[str, Any]]:
    traces: list[dict[str, Any]] = []
    for place, system in enumerate(distinct(points, "system")):
        own = where(points, system=system)
        x = [_articles(each) if articles else each["x"] for each in own]
        traces += _pair(own, system, place, x)
    return traces


def _pair(
    points: Sequence[Point], name: str, place: int, x: Sequence[Plain]
) -> list[dict[str, Any]]:
    """Return a system's line of times in the upper panel and of scores in the lower."""
    lower = Look(name=name, number=place, yaxis="y2", legend=False)
    return [
        line(points, MILLISECONDS, Look(name=name, number=place), x),
        line(points, F1, lower, x),
    ]


def _articles(point: Point) -> float | None:
    found: float | None = (point["result"] or {}).get("articles_per_window")
    return found


def _table(data: Mapping[str, Plain], points: Sequence[Point], stream: str) -> Table:
    labels = distinct(points, "size")
    tops = {
        size: max(
            (
                value
                for each in where(points, size=size)
                if _full(each) and (value := number(each, F1)) is not None
            ),
            default=None,
        )
        for size in labels
    }
    rows = [
        TableRow(
            name=system,
            cells=[
                *(_score(each, tops[each["size"]]) for each in own),
                *(_time(each) for each in own),
            ],
        )
        for system in distinct(points, "system")
        for own in [where(points, system=system)]
    ]
    return Table(
        id=f"windows-table-{stream}",
        title=f"B³-F1 and time by window size on {stream}",
        columns=[*labels, *labels],
        rows=rows,
        groups=[("B³-F1", len(labels)), ("ms per window", len(labels))],
        note=(
            f"Windowed, protocol singleton, last {data['articles']} articles' worth of "
            f"days, slides of {data['slide']}. A dash: it failed, or no window of that "
            "size was full."
        ),
    )


def _score(point: Point, best: float | None) -> Value:
    if not _full(point):
        return Value(value=None)
    return table_value(point, F1, best=best is not None and number(point, F1) == best)


def _time(point: Point) -> Value:
    if not _full(point):
        return Value(value=None)
    return Value(value=number(point, MILLISECONDS), digits=1)
