"""How slide sizes are drawn and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ustory_bench.experiments.stream_windows import window_of, windows_told
from ustory_bench.experiments.sweep_lines import (
    F1,
    MILLISECONDS,
    SCORES,
    Look,
    Point,
    Quantity,
    distinct,
    line,
    number,
    table_value,
    two_panels,
    where,
)
from ustory_bench.report.blocks import Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Plain

HOURS = Quantity("hours until detected", ("detection", "mean_hours"))
SECOND = Quantity("detected by the 2nd article", ("detection", "by_second_article"))


def slide_text(data: Mapping[str, Plain]) -> str:
    """Return what was done, how to read it, and what was found on each stream."""
    what = (
        f"{data['system']} runs with the same window of {windows_told(data)} and ever "
        "smaller slides. A small slide tells of an article sooner and costs more runs "
        "of the method. All are scored at the same moments, the ends of slides of "
        f"{data['slide']}, where all have the same articles in the window: what "
        "differs is only how many articles came at a time. "
        f"{_spread(data)} To bound what it costs, the last {data['articles']} "
        "articles' worth of whole days of each stream are read."
    )
    found = [_finding(data, stream) for stream in distinct(data["points"], "stream")]
    return f"{what}\n\n{' '.join(found)}"


def slide_blocks(data: Mapping[str, Plain]) -> list[Figure | Table]:
    """Return a figure of each stream, and a table of all."""
    streams = distinct(data["points"], "stream")
    return [*(_figure(data, stream) for stream in streams), _table(data)]


def _spread(data: Mapping[str, Plain]) -> str:
    """Return which streams were given times of day."""
    given = {
        each["stream"]
        for each in data["points"]
        if each["result"] is not None and each["result"]["spread"]
    }
    if not given:
        return "The articles have times of day."
    names = " and ".join(s for s in distinct(data["points"], "stream") if s in given)
    return (
        f"Articles of {names} have dates only, and are spread over their days by a "
        "fixed hash of the id: hours there are of an invented order."
    )


def _finding(data: Mapping[str, Plain], stream: str) -> str:
    points = [
        each
        for each in where(data["points"], stream=stream)
        if number(each, F1) is not None
    ]
    if not points:
        return f"On {stream} nothing could be measured."
    first, last = points[0], points[-1]
    return (
        f"On {stream} B³-F1 is {number(first, F1):.3f} with slides of {first['x']} and "
        f"{number(last, F1):.3f} with slides of {last['x']}, at "
        f"{number(first, MILLISECONDS):.1f} and {number(last, MILLISECONDS):.1f} ms a "
        "slide."
    )


def _figure(data: Mapping[str, Plain], stream: str) -> Figure:
    points = where(data["points"], stream=stream)
    times = Look(name="time per slide", number=len(SCORES))
    return Figure(
        id=f"slides-{stream}",
        title=f"Slide size on {stream}",
        caption=(
            f"{data['system']}, windows of {window_of(data, stream)}. Above: mean time "
            "of a slide (milliseconds), text and encoding left out. Below: B³-F1, AMI "
            "and ARI, means over the windows that end with a slide of "
            f"{data['slide']}, whatever the slide size (protocol singleton). Bars are "
            "95 % intervals by a bootstrap over blocks of windows, where there are "
            f"enough. Last {data['articles']} articles' worth of days."
        ),
        traces=[
            line(points, MILLISECONDS, times),
            *(
                line(points, each, Look(name=each.name, number=place, yaxis="y2"))
                for place, each in enumerate(SCORES)
            ),
        ],
        layout={
            "xaxis": {
                "title": {"text": "slide size S"},
                "type": "category",
                "anchor": "y2",
            },
            **two_panels("time per slide (ms)", "score"),
        },
        alt=_finding(data, stream),
        height=540,
    )


def _table(data: Mapping[str, Plain]) -> Table:
    return Table(
        id="slides-table",
        title="Slide size, accuracy and time",
        columns=[
            *(each.name for each in SCORES),
            "ms per slide",
            f"ms per {data['slide']}",
            SECOND.name,
            HOURS.name,
        ],
        rows=[
            TableRow(name=each["x"], block=each["stream"], cells=_cells(each))
            for each in data["points"]
        ],
        note=(
            "Detection is of true stories with two articles or more: the share that is "
            "detected when the second article arrives, and the mean hours from the "
            "first article's publication to the end of the detecting slide."
        ),
    )


def _cells(point: Point) -> Sequence[Value]:
    spent = number(point, MILLISECONDS)
    return [
        *(table_value(point, each) for each in SCORES),
        Value(value=spent, digits=1),
        Value(value=None if spent is None else spent * point["parts"], digits=1),
        Value(value=number(point, SECOND), digits=3),
        Value(value=number(point, HOURS), digits=1),
    ]
