"""How encoders are drawn and told: accuracy against speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.experiments.stream_windows import windows_told
from ustory_bench.experiments.sweep_lines import (
    F1,
    SCORES,
    Look,
    Point,
    Quantity,
    distinct,
    line,
    number,
    table_value,
    where,
)
from ustory_bench.report.blocks import Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Plain

SPEED = Quantity("sentences per second", ("encoding", "sentences_per_second"))
DIM = Quantity("dimensions", ("encoding", "dim"))


def encoder_text(data: Mapping[str, Plain]) -> str:
    """Return what was done, how to read it, and what was found on each stream."""
    what = (
        f"{data['system']} runs at its defaults with the vectors of each encoder; all "
        "else, keywords included, is the same. Speed is that of encoding alone, in "
        "one thread on this computer, the model loaded before. To bound what the slow "
        f"encoders cost, the first {data['lead']} sentences of each article are read, "
        f"in the last {data['sentences']:,} sentences' worth of whole days of each "
        "stream, the same for all encoders: the scores compare with each other, and "
        "not with those of whole streams."
    )
    found = [_finding(data, stream) for stream in distinct(data["points"], "stream")]
    return f"{what}\n\n{' '.join(found)}"


def encoder_blocks(data: Mapping[str, Plain]) -> list[Figure | Table]:
    """Return a figure of each stream, and a table of all."""
    streams = distinct(data["points"], "stream")
    return [*(_figure(data, stream) for stream in streams), _table(data)]


def _finding(data: Mapping[str, Plain], stream: str) -> str:
    scores: dict[str, float] = {}
    speeds: dict[str, float] = {}
    for each in where(data["points"], stream=stream):
        score, speed = number(each, F1), number(each, SPEED)
        if score is not None and speed is not None:
            scores[each["encoder"]], speeds[each["encoder"]] = score, speed
    if not scores:
        return f"On {stream} nothing could be measured."
    best = max(scores, key=lambda name: scores[name])
    fast = max(speeds, key=lambda name: speeds[name])
    said = (
        f"On {stream} the highest B³-F1 is {scores[best]:.3f}, with {best} at "
        f"{speeds[best]:,.0f} sentences a second"
    )
    if fast == best:
        return f"{said}, which is also the fastest."
    return (
        f"{said}; the fastest, {fast}, encodes {speeds[fast]:,.0f} a second and has "
        f"{scores[fast]:.3f}."
    )


def _figure(data: Mapping[str, Plain], stream: str) -> Figure:
    points = where(data["points"], stream=stream)
    return Figure(
        id=f"encoders-{stream}",
        title=f"Encoders on {stream}",
        caption=(
            f"Windowed B³-F1 of {data['system']} (windows of {windows_told(data)} in "
            f"slides of {data['slide']}, protocol singleton) against sentences encoded "
            "per second (logarithmic): up and to the right is better. Bars are 95 % "
            "intervals by a bootstrap over blocks of windows, where there are enough. "
            f"The first {data['lead']} sentences of each article, in the last "
            f"{data['sentences']:,} sentences' worth of days."
        ),
        traces=[_mark(each, place) for place, each in enumerate(points)],
        layout={
            "xaxis": {"title": {"text": "sentences per second"}, "type": "log"},
            "yaxis": {"title": {"text": "B³-F1 (mean over windows)"}},
        },
        alt=_finding(data, stream),
    )


def _mark(point: Point, place: int) -> dict[str, Any]:
    look = Look(name=point["encoder"], number=place)
    trace = line([point], F1, look, [number(point, SPEED)])
    return {**trace, "mode": "markers"}


def _table(data: Mapping[str, Plain]) -> Table:
    return Table(
        id="encoders-table",
        title="Encoders",
        columns=[*(each.name for each in SCORES), SPEED.name, DIM.name],
        rows=[
            TableRow(
                name=each["encoder"], block=each["stream"], cells=_cells(each, best)
            )
            for stream in distinct(data["points"], "stream")
            for points in [where(data["points"], stream=stream)]
            for best in [{q: _top(points, q) for q in (*SCORES, SPEED)}]
            for each in points
        ],
        note=(
            f"{data['system']}, windowed, protocol singleton, on the first "
            f"{data['lead']} sentences of each article, in the last "
            f"{data['sentences']:,} sentences' worth of days of each stream; the best "
            "of a stream is bold. A dash: it could not be measured."
        ),
    )


def _top(points: Sequence[Point], quantity: Quantity) -> float | None:
    values = [v for each in points if (v := number(each, quantity)) is not None]
    return max(values, default=None)


def _cells(point: Point, best: Mapping[Quantity, float | None]) -> list[Value]:
    speed, dim = number(point, SPEED), number(point, DIM)
    return [
        *(
            table_value(point, each, best=_is(number(point, each), best[each]))
            for each in SCORES
        ),
        Value(value=speed, digits=0, best=_is(speed, best[SPEED])),
        Value(value=None if dim is None else int(dim)),
    ]


def _is(value: float | None, best: float | None) -> bool:
    return value is not None and value == best
