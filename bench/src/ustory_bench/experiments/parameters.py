"""Fig. 8: how much the number of keywords N and the temperature T matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ustory_bench.experiments.stream_windows import window_of
from ustory_bench.experiments.sweep_lines import (
    F1,
    SCORES,
    Look,
    Placed,
    Point,
    Sweep,
    distinct,
    line,
    number,
    where,
)
from ustory_bench.experiments.sweeps import our_systems, sweep_job
from ustory_bench.report.blocks import Figure
from ustory_bench.runner.jobs import BenchPlan, Plain
from ustory_bench.system import find_system

GRID: Mapping[str, Sequence[float]] = {
    "keywords": (1, 3, 5, 8, 10, 12, 15),
    "temperature": (1.0, 1.5, 2.0, 3.0, 4.0, 5.0),
}
"""N and T in the paper's ranges; one varies while the other is at its default."""

SYMBOL = {"keywords": "N", "temperature": "T"}
_PANELS = ("", "2")
"""Each has axes of its own: panels that share one cannot stand above each other."""


def _text(data: Mapping[str, Plain], streams: Sequence[str]) -> str:
    defaults = _defaults(data)
    what = (
        f"{data['system']} is run over each whole stream with one of its two "
        f"parameters changed, the other at its default ({defaults}). N is how many "
        "thematic keywords a story or article has; T multiplies similarities before "
        "the softmax, so a larger T sharpens the confidence and asks for more of it "
        "(it is an inverse temperature, and strictest near e). A flat line says that "
        "the parameter need not be tuned."
    )
    return f"{what}\n\n{' '.join(_finding(data, stream) for stream in streams)}"


def _defaults(data: Mapping[str, Plain]) -> str:
    return ", ".join(f"{SYMBOL[k]} = {v:g}" for k, v in data["defaults"].items())


def _finding(data: Mapping[str, Plain], stream: str) -> str:
    points = where(data["points"], stream=stream)
    parts = [
        part
        for name in GRID
        if (part := _range(where(points, parameter=name), data["defaults"][name]))
    ]
    if not parts:
        return f"On {stream} nothing could be measured."
    return f"On {stream} windowed B³-F1 goes {'; and '.join(parts)}."


def _range(points: Sequence[Point], default: float) -> str:
    """Return where B³-F1 is lowest and highest and what the default has."""
    scores = {
        each["x"]: value for each in points if (value := number(each, F1)) is not None
    }
    if not scores:
        return ""
    symbol = SYMBOL[points[0]["parameter"]]
    low, high = (pick(scores, key=lambda x: scores[x]) for pick in (min, max))
    said = (
        f"with {symbol} from {scores[low]:.3f} at {symbol} = {low:g} to "
        f"{scores[high]:.3f} at {symbol} = {high:g}"
    )
    if default not in scores:
        return said
    if high == default:
        return f"{said}, which is the default"
    return f"{said}, and is {scores[default]:.3f} at the default of {default:g}"


def _figure(data: Mapping[str, Plain], stream: str) -> Figure:
    points = where(data["points"], stream=stream)
    traces = [
        line(
            where(points, parameter=name),
            quantity,
            Look(
                name=quantity.name,
                number=place,
                xaxis=f"x{panel}",
                yaxis=f"y{panel}",
                legend=not panel,
            ),
        )
        for name, panel in zip(GRID, _PANELS, strict=True)
        for place, quantity in enumerate(SCORES)
    ]
    return Figure(
        id=f"parameters-{stream}",
        title=f"N and T on {stream}",
        caption=(
            f"B³-F1, AMI and ARI of {data['system']} (means over windows of "
            f"{window_of(data, stream)} in slides of {data['slide']}, protocol "
            "singleton) against the number of keywords N and the temperature T, on one "
            f"scale; dotted lines are the defaults, {_defaults(data)}. Bars are 95 % "
            "intervals by a bootstrap over blocks of windows, where there are enough."
        ),
        traces=traces,
        layout={
            "xaxis": _axis("keywords N", "keywords", [0.0, 0.5]),
            "xaxis2": {
                **_axis("temperature T", "temperature", [0.6, 1.0]),
                "anchor": "y2",
            },
            "yaxis": {"title": {"text": "score"}},
            "yaxis2": {"title": {"text": "score"}, "anchor": "x2", "matches": "y"},
            "shapes": [
                _default(data["defaults"][name], panel)
                for name, panel in zip(GRID, _PANELS, strict=True)
            ],
        },
        alt=_finding(data, stream),
    )


def _default(value: float, panel: str) -> dict[str, Plain]:
    """Return a line through a panel."""
    return {
        "type": "line",
        "xref": f"x{panel}",
        "yref": f"y{panel} domain",
        "x0": value,
        "x1": value,
        "y0": 0,
        "y1": 1,
        "line": {"dash": "dot"},
    }


def _axis(title: str, name: str, domain: Sequence[float]) -> dict[str, Plain]:
    return {
        "title": {"text": title},
        "domain": list(domain),
        "tickvals": [value for value in GRID[name] if value == int(value)],
    }


def _placed(plan: BenchPlan) -> list[Placed]:
    system = our_systems(plan)[0]
    return [
        (
            {"parameter": name, "x": value, "label": f"{SYMBOL[name]} = {value:g}"},
            sweep_job(plan, stream, system, parameters={name: value}),
        )
        for stream in plan.streams
        for name, values in GRID.items()
        for value in values
    ]


def _about_plan(plan: BenchPlan) -> dict[str, Plain]:
    system = our_systems(plan)[0]
    defaults = {name: find_system(system).parameters[name] for name in GRID}
    return {"system": system, "defaults": defaults}


def _section_text(data: Mapping[str, Plain]) -> str:
    return _text(data, distinct(data["points"], "stream"))


def _blocks(data: Mapping[str, Plain]) -> list[Figure]:
    return [_figure(data, each) for each in distinct(data["points"], "stream")]


PARAMETERS = Sweep(
    name="parameters",
    title="Keywords N and temperature T",
    paper="Fig. 8",
    text=_section_text,
    blocks=_blocks,
    placed=_placed,
    about=_about_plan,
)
"""The experiment behind the paper's Fig. 8."""
