"""Fig. 6: window size against time per window and accuracy, for the top systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from ustory.core.spans import format_span
from ustory_bench.experiments.sweep_lines import (
    Placed,
    Sweep,
    distinct,
    where,
)
from ustory_bench.experiments.sweeps import our_systems, sweep_job
from ustory_bench.experiments.window_figures import (
    NUMBER,
    TIME,
    window_blocks,
    window_text,
)
from ustory_bench.report.blocks import Block
from ustory_bench.runner.jobs import BenchPlan, Plain
from ustory_bench.runner.score import duration

ARTICLES = 800
"""Looked at, at the end of a stream; the paper's figure takes all."""

RIVALS = ("staykovski", "miranda", "constream")
"""The paper's top two, and the best of its others on the development streams."""

SLIDES = (1, 3, 7, 14, 21)
"""Window sizes by time, in slides: days where the window slides by a day."""

NUMBERS, STEP = (50, 100, 200, 400), 25
"""Window sizes by number of articles, and how many each of their slides brings."""


def compared(plan: BenchPlan) -> list[str]:
    """Return our systems, then the top rivals of the plan.

    Two of its other systems where it has none of those.
    """
    ours = our_systems(plan)
    others = [s for s in plan.systems if not s.startswith("ustory")]
    return [*ours, *([s for s in RIVALS if s in others] or others[:2])]


def sizes(plan: BenchPlan, stream: str) -> list[timedelta]:
    """Return the window sizes by time, the stream's own among them."""
    slide, own = duration(plan.settings.slide), plan.settings_for(stream).window
    return sorted({duration(own), *(n * slide for n in SLIDES)})


def by_time(plan: BenchPlan, systems: Sequence[str]) -> list[Placed]:
    """Return each system on each stream in windows of each size by time."""
    return [
        (
            {
                "unit": TIME,
                "x": size / timedelta(days=1),
                "size": format_span(size),
                "label": f"windows of {format_span(size)}",
            },
            sweep_job(
                plan,
                stream,
                system,
                settings={"window": format_span(size)},
                articles=ARTICLES,
            ),
        )
        for stream in plan.streams
        for system in systems
        for size in sizes(plan, stream)
    ]


def _by_number(plan: BenchPlan) -> list[Placed]:
    """Return our systems in windows by number; baselines know none."""
    return [
        (
            {
                "unit": NUMBER,
                "x": size,
                "size": str(size),
                "label": f"windows of {size} articles",
            },
            sweep_job(
                plan,
                stream,
                system,
                settings={"window": str(size), "slide": str(STEP)},
                articles=ARTICLES,
            ),
        )
        for stream in plan.streams
        for system in our_systems(plan)
        for size in NUMBERS
    ]


def _placed(plan: BenchPlan) -> list[Placed]:
    return [*by_time(plan, compared(plan)), *_by_number(plan)]


def _about_plan(plan: BenchPlan) -> dict[str, Plain]:
    del plan
    return {"articles": ARTICLES, "step": STEP}


def _blocks(data: Mapping[str, Plain]) -> list[Block]:
    points = data["points"]
    return [
        block
        for stream in distinct(points, "stream")
        for block in window_blocks(data, where(points, stream=stream), stream)
    ]


WINDOWS = Sweep(
    name="windows",
    title="Window size, time and accuracy",
    paper="Fig. 6",
    text=window_text,
    blocks=_blocks,
    placed=_placed,
    about=_about_plan,
)
"""The experiment behind the paper's Fig. 6."""
