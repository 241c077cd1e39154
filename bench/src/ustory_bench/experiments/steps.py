"""Fig. 7: where our method's time goes, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.experiments.stream_windows import spans_of, window_of, windows_told
from ustory_bench.experiments.sweep_lines import (
    Placed,
    Point,
    distinct,
    faults,
    gather_points,
    where,
)
from ustory_bench.experiments.sweeps import our_systems
from ustory_bench.experiments.windows import ARTICLES, by_time
from ustory_bench.report.blocks import Figure, Section, Table, TableRow, Value
from ustory_bench.runner.jobs import BenchPlan, Cell, Job, Plain

PARTS: Mapping[str, Sequence[str]] = {
    "initial embedding": ("initial",),
    "seeding": ("seeding",),
    "assignment": ("assignment",),
    "summary update": ("summary",),
    "moving the window": ("window", "text"),
}
"""The paper's four steps, and what it does not count; by the stopwatch's names."""

_PATTERNS = ("", "/", "x", ".", "\\")


class _Steps:
    name = "steps"
    title = "Where the time goes"
    paper = "Fig. 7"

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        return [job for _, job in self._placed(plan)]

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        points = [
            {**point, "result": _step_times(point)}
            for point in gather_points(self._placed(plan), cells)
        ]
        return {
            **spans_of(plan),
            "articles": ARTICLES,
            "points": points,
        }

    def section(self, data: Mapping[str, Plain]) -> Section:
        usual = [
            point
            for point in data["points"]
            if point["size"] == window_of(data, point["stream"])
        ]
        found = [_finding(each) for each in usual if each["result"]]
        return Section(
            id=self.name,
            title=self.title,
            paper=self.paper,
            text=f"{_about(data)}\n\n{' '.join(found) or 'Nothing was measured.'}",
            blocks=[
                _shares(data, usual, found),
                _table(data, usual),
                *(
                    _by_size(data, where(data["points"], stream=stream), stream)
                    for stream in distinct(data["points"], "stream")
                ),
            ],
            faults=faults(data["points"]),
        )

    def _placed(self, plan: BenchPlan) -> list[Placed]:
        return by_time(plan, our_systems(plan))


STEPS = _Steps()
"""The experiment behind the paper's Fig. 7."""


def _step_times(point: Point) -> dict[str, float] | None:
    """Return the mean milliseconds per window of each step, None if not measured."""
    result = point["result"]
    if result is None or not result["full_windows"]:
        return None
    seconds = result["steps"]
    return {
        step: round(1000 * sum(seconds.get(part, 0.0) for part in parts), 4)
        for step, parts in PARTS.items()
    }


def _about(data: Mapping[str, Plain]) -> str:
    return (
        "Our method's time per window, in the paper's four steps: the initial "
        "embedding of unassigned articles, the discovery of seed stories, the "
        "assignment of articles to stories, and the update of story summaries; moving "
        "the window is what is left. Text and sentence encoding are done before and "
        "are not in it. ustory is given M; ustory-auto chooses the number of seeds by "
        "itself, as a part of seeding. The runs are those of Fig. 6, on the last "
        f"{data['articles']} articles' worth of days of each stream, in slides of "
        f"{data['slide']}."
    )


def _finding(point: Point) -> str:
    times = point["result"]
    most = max(times, key=lambda step: times[step])
    total = sum(times.values())
    return (
        f"On {point['stream']}, {point['system']} takes {total:.1f} ms a window of "
        f"{point['size']}; the largest part, {_percent(times[most], total):.0f} %, is "
        f"{most}."
    )


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _shares(
    data: Mapping[str, Plain], points: Sequence[Point], found: Sequence[str]
) -> Figure:
    measured = [each for each in points if each["result"]]
    names = [f"{each['stream']}<br>{each['system']}" for each in measured]
    shares = {
        step: [
            round(_percent(each["result"][step], sum(each["result"].values())), 2)
            for each in measured
        ]
        for step in PARTS
    }
    return Figure(
        id="steps",
        title="Shares of the steps",
        caption=(
            "Share of each step in the mean time per full window (per cent), in "
            f"windows of {windows_told(data)}; the last {data['articles']} articles' "
            "worth of days of each stream."
        ),
        traces=_stack(names, shares),
        layout={
            "barmode": "stack",
            "xaxis": {"type": "category"},
            "yaxis": {"title": {"text": "share of time (%)"}, "range": [0, 100]},
        },
        alt=" ".join(found) or "Nothing was measured.",
    )


def _by_size(data: Mapping[str, Plain], points: Sequence[Point], stream: str) -> Figure:
    """Return the steps of the first of our systems against the window size."""
    system = points[0]["system"]
    measured = [each for each in where(points, system=system) if each["result"]]
    times = {step: [each["result"][step] for each in measured] for step in PARTS}
    ends = [f"{sum(m['result'].values()):.1f} ms at {m['size']}" for m in measured]
    return Figure(
        id=f"steps-{stream}",
        title=f"Steps by window size on {stream}",
        caption=(
            f"Mean time of each step of {system} per full window (milliseconds), "
            f"against the window size; the last {data['articles']} articles' worth of "
            "days. Sizes that no window reached are left out."
        ),
        traces=_stack([each["size"] for each in measured], times),
        layout={
            "barmode": "stack",
            "xaxis": {"title": {"text": "window size W"}, "type": "category"},
            "yaxis": {"title": {"text": "time per window (ms)"}},
        },
        alt=(
            f"On {stream}, {system} takes {', '.join(ends)}."
            if ends
            else f"On {stream} no window was full."
        ),
    )


def _stack(
    names: Sequence[str], heights: Mapping[str, Sequence[float]]
) -> list[dict[str, Any]]:
    """Return one layer of bars for each step, told apart by patterns as well."""
    return [
        {
            "type": "bar",
            "name": step,
            "x": list(names),
            "y": list(values),
            "marker": {"pattern": {"shape": _PATTERNS[place]}},
            "meta": {"colour": place},
        }
        for place, (step, values) in enumerate(heights.items())
    ]


def _table(data: Mapping[str, Plain], points: Sequence[Point]) -> Table:
    return Table(
        id="steps-table",
        title="Milliseconds per window by step",
        columns=[*PARTS, "all"],
        rows=[
            TableRow(
                name=each["system"], block=each["stream"], cells=_cells(each["result"])
            )
            for each in points
        ],
        note=(
            f"Means over full windows of {windows_told(data)}, on the last "
            f"{data['articles']} articles' worth of days; text and encoding left out."
        ),
    )


def _cells(times: Mapping[str, float] | None) -> list[Value]:
    if times is None:
        return [Value(value=None)] * (len(PARTS) + 1)
    return [Value(value=v, digits=2) for v in (*times.values(), sum(times.values()))]
