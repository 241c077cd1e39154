"""Beyond the paper: how much M, the articles that a new story needs, matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustory_bench.experiments.stream_windows import window_of
from ustory_bench.experiments.sweep_lines import (
    F1,
    SCORES,
    Look,
    Placed,
    Point,
    Quantity,
    Sweep,
    distinct,
    line,
    number,
    where,
)
from ustory_bench.experiments.sweeps import sweep_job
from ustory_bench.report.blocks import Figure
from ustory_bench.report.palette import SYMBOLS
from ustory_bench.runner.jobs import BenchPlan, Plain
from ustory_bench.system import find_system

GRID = (2, 3, 4, 6, 8, 12, 16, 20)
"""M; the paper takes it from the labels: 8 for Newsfeed, 18 for WCEP."""

GIVEN, CHOSEN = "ustory", "ustory-auto"
"""Our method with M, and without."""


_ABOUT = (
    "The paper gives its method M, the average number of articles in a story in a day, "
    "which it reads off the labels; k-means then looks for ⌊n / M⌋ seeds among n "
    f"unassigned articles, and a seed needs M articles to become a story. {GIVEN} is "
    f"run over each whole stream with M from {GRID[0]} to {GRID[-1]}; the level lines "
    f"are {CHOSEN}, which is given no M: it takes the number of seeds with the best "
    "Silhouette, and two articles make a story. Small stories are lost to a large M, "
    "and their articles stay unassigned, each a story of its own to the scores."
)


def _finding(data: Mapping[str, Plain], points: Sequence[Point]) -> str:
    stream, default = points[0]["stream"], data["default"]
    scores = {
        each["x"]: value
        for each in where(points, system=GIVEN)
        if (value := number(each, F1)) is not None
    }
    if not scores:
        return f"On {stream} nothing could be measured."
    best = max(scores, key=lambda m: scores[m])
    said = f"On {stream} windowed B³-F1 is highest at M = {best} ({scores[best]:.3f}"
    if default in scores and best != default:
        said += f", against {scores[default]:.3f} at M = {default}"
    free = [number(each, F1) for each in where(points, system=CHOSEN)]
    if not free or free[0] is None:
        return f"{said})."
    return f"{said}); without M it is {free[0]:.3f}."


def _figure(data: Mapping[str, Plain], points: Sequence[Point], alt: str) -> Figure:
    stream = points[0]["stream"]
    traces: list[dict[str, Any]] = []
    for place, quantity in enumerate(SCORES):
        look = Look(name=quantity.name, number=place)
        traces.append(line(where(points, system=GIVEN), quantity, look))
        traces += _level(where(points, system=CHOSEN), quantity, place)
    return Figure(
        id=f"articles-per-story-{stream}",
        title=f"M on {stream}",
        caption=(
            f"B³-F1, AMI and ARI of {GIVEN} (means over windows of "
            f"{window_of(data, stream)} in slides of {data['slide']}, protocol "
            "singleton) against M, in articles; level dotted lines with open marks are "
            f"{CHOSEN}, without M. Bars are 95 % intervals by a bootstrap over blocks "
            "of windows, where there are enough."
        ),
        traces=traces,
        layout={
            "xaxis": {
                "title": {"text": "articles that a new story needs, M"},
                "tickvals": list(GRID),
            },
            "yaxis": {"title": {"text": "score"}},
        },
        alt=alt,
    )


def _level(
    points: Sequence[Point], quantity: Quantity, place: int
) -> list[dict[str, Any]]:
    """Return a level line at what the system without M has, if it has any."""
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": f"{quantity.name}, without M",
            "x": [GRID[0], GRID[-1]],
            "y": [value, value],
            "marker": {"symbol": f"{SYMBOLS[place]}-open", "size": 9},
            "line": {"dash": "dot"},
            "meta": {"colour": place},
        }
        for each in points
        if (value := number(each, quantity)) is not None
    ]


def _placed(plan: BenchPlan) -> list[Placed]:
    given: list[Placed] = [
        (
            {"x": m, "label": f"M = {m}"},
            sweep_job(plan, stream, GIVEN, parameters={"min_articles": m}),
        )
        for stream in plan.streams
        for m in GRID
    ]
    chosen: list[Placed] = [
        ({"x": None, "label": "without M"}, sweep_job(plan, stream, CHOSEN))
        for stream in plan.streams
    ]
    return [*given, *chosen]


def _about_plan(plan: BenchPlan) -> dict[str, Plain]:
    del plan
    return {"default": find_system(GIVEN).parameters["min_articles"]}


def _findings(data: Mapping[str, Plain]) -> list[str]:
    streams = distinct(data["points"], "stream")
    return [_finding(data, where(data["points"], stream=each)) for each in streams]


def _text(data: Mapping[str, Plain]) -> str:
    return f"{_ABOUT}\n\n{' '.join(_findings(data))}"


def _blocks(data: Mapping[str, Plain]) -> list[Figure]:
    streams = distinct(data["points"], "stream")
    return [
        _figure(data, where(data["points"], stream=stream), alt)
        for stream, alt in zip(streams, _findings(data), strict=True)
    ]


ARTICLES_PER_STORY = Sweep(
    name="articles-per-story",
    title="Articles that a new story needs, M",
    paper="beyond the paper",
    text=_text,
    blocks=_blocks,
    placed=_placed,
    about=_about_plan,
)
"""The experiment on M."""
