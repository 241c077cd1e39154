"""How the points of a sweep are kept, read and drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ustory_bench.experiments.contract import DeclaredExperiment
from ustory_bench.experiments.stream_windows import spans_of
from ustory_bench.report.blocks import Value
from ustory_bench.report.palette import DASHES, SYMBOLS
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Job, Plain

Point: TypeAlias = Mapping[str, Plain]
"""Where in a sweep it is, and what was measured there; `result` None if nothing."""

Placed: TypeAlias = tuple[Mapping[str, Plain], Job]
"""A job with its place in the sweep: `x`, and `label` for people."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a result: where it is, where its interval is, in which unit."""

    name: str
    value: tuple[str, ...]
    interval: tuple[str, ...] = ()
    scale: float = 1.0


F1 = Quantity("B³-F1", ("windowed", "bcubed_f1"), ("intervals", "bcubed_f1"))
AMI = Quantity("AMI", ("windowed", "ami"), ("intervals", "ami"))
ARI = Quantity("ARI", ("windowed", "ari"), ("intervals", "ari"))
WHOLE_F1 = Quantity("whole-stream B³-F1", ("whole_stream", "bcubed_f1"))
MILLISECONDS = Quantity("ms", ("seconds", "mean"), ("seconds", "interval"), 1000.0)
SCORES = (F1, AMI, ARI)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a line is told from others, and in which panel it is."""

    name: str
    number: int
    """Its place in the palette; symbol and dash follow it."""
    xaxis: str = "x"
    yaxis: str = "y"
    legend: bool = True


def gather_points(placed: Sequence[Placed], cells: Sequence[Cell]) -> list[Point]:
    """Return the points of a sweep from its finished cells, in the same order."""
    return [
        {
            "stream": job.stream,
            "system": job.system,
            **place,
            "status": cell.status,
            "reason": cell.reason,
            "result": cell.result if cell.status == OK else None,
        }
        for (place, job), cell in zip(placed, cells, strict=True)
    ]


def where(points: Sequence[Point], **wanted: Plain) -> list[Point]:
    """Return the points whose fields are those."""
    return [
        each for each in points if all(each[name] == v for name, v in wanted.items())
    ]


def distinct(points: Sequence[Point], field: str) -> list[Plain]:
    """Return the values of a field, each once, in order of appearance."""
    return list(dict.fromkeys(each[field] for each in points))


def number(point: Point, quantity: Quantity) -> float | None:
    """Return a quantity at a point, None where it was not measured."""
    found = _look_up(point, quantity.value)
    return None if found is None else float(found) * quantity.scale


def interval(point: Point, quantity: Quantity) -> tuple[float, float] | None:
    """Return the 95 % interval of a quantity, None where there is none."""
    found = _look_up(point, quantity.interval) if quantity.interval else None
    if found is None:
        return None
    low, high = found
    return low * quantity.scale, high * quantity.scale


def table_value(
    point: Point, quantity: Quantity, digits: int = 3, best: bool = False
) -> Value:
    """Return a quantity as a cell of a table; a dash where it was not measured."""
    return Value(
        value=number(point, quantity),
        digits=digits,
        best=best,
        interval=interval(point, quantity),
    )


def faults(points: Sequence[Point]) -> list[str]:
    """Return what could not be measured, each sentence once."""
    return list(
        dict.fromkeys(
            f"{each['system']} on {each['stream']}, {each['label']}: "
            f"{each['reason'] or each['status']}"
            for each in points
            if each["status"] != OK
        )
    )


def line(
    points: Sequence[Point], quantity: Quantity, look: Look, x: Sequence[Plain] = ()
) -> dict[str, Any]:
    """Return a trace of a quantity over the points, with intervals as error bars.

    `x` stands in for the points' own places.
    """
    values = [number(each, quantity) for each in points]
    bands = [interval(each, quantity) for each in points]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": look.name,
        "legendgroup": look.name,
        "showlegend": look.legend,
        "x": list(x) or [each["x"] for each in points],
        "y": values,
        "xaxis": look.xaxis,
        "yaxis": look.yaxis,
        "marker": {"symbol": SYMBOLS[look.number % len(SYMBOLS)], "size": 8},
        "line": {"dash": DASHES[look.number % len(DASHES)]},
        "meta": {"colour": look.number},
    }
    if any(bands):
        trace["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": [_reach(v, b, 1) for v, b in zip(values, bands, strict=True)],
            "arrayminus": [_reach(v, b, 0) for v, b in zip(values, bands, strict=True)],
        }
    return trace


def two_panels(upper: str, lower: str) -> dict[str, Any]:
    """Return the axes of two panels over one x axis, which is not in it."""
    return {
        "yaxis": {"title": {"text": upper}, "domain": [0.56, 1.0]},
        "yaxis2": {"title": {"text": lower}, "domain": [0.0, 0.44]},
    }


def _reach(value: float | None, band: tuple[float, float] | None, end: int) -> float:
    """Return how far an error bar goes from its value; never the wrong way."""
    if value is None or band is None:
        return 0.0
    return round(max(band[1] - value if end else value - band[0], 0.0), 9)


def _look_up(point: Point, path: Sequence[str]) -> Plain:
    found = point["result"]
    for name in path:
        if found is None:
            return None
        found = found.get(name)
    return found


@dataclass(frozen=True, kw_only=True)
class Sweep(DeclaredExperiment):
    """An experiment that measures points of a sweep."""

    placed: Callable[[BenchPlan], Sequence[Placed]]
    """The jobs of a plan, each with its place."""
    about: Callable[[BenchPlan], Mapping[str, Plain]]
    """What else results.json keeps of a plan."""

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return a job for each point."""
        return [job for _, job in self.placed(plan)]

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return the points, and how they were measured."""
        return {
            **self.about(plan),
            **spans_of(plan),
            "points": gather_points(self.placed(plan), cells),
        }

    def faults(self, data: Mapping[str, Plain]) -> Sequence[str]:
        """Return the points that could not be measured, a sentence each."""
        return faults(data["points"])
