"""Fig. 6: window size against time per window and accuracy, for the top systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from ustory.core.spans import format_span
from ustory_bench.experiments.sweep_lines import (
    Placed,
    distinct,
    faults,
    gather_points,
    where,
)
from ustory_bench.experiments.sweeps import our_systems, sweep_job
from ustory_bench.experiments.window_figures import (
    NUMBER,
    TIME,
    window_blocks,
    window_text,
)
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import BenchPlan, Cell, Job, Plain
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


def sizes(plan: BenchPlan) -> list[timedelta]:
    """Return the window sizes by time, the plan's own among them."""
    slide = duration(plan.settings.slide)
    return sorted({duration(plan.settings.window), *(n * slide for n in SLIDES)})


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
        for size in sizes(plan)
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


class _Windows:
    name = "windows"
    title = "Window size, time and accuracy"
    paper = "Fig. 6"

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        return [job for _, job in self._placed(plan)]

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        return {
            "window": format_span(plan.settings.window),
            "slide": format_span(plan.settings.slide),
            "articles": ARTICLES,
            "step": STEP,
            "points": gather_points(self._placed(plan), cells),
        }

    def section(self, data: Mapping[str, Plain]) -> Section:
        points = data["points"]
        streams = distinct(points, "stream")
        return Section(
            id=self.name,
            title=self.title,
            paper=self.paper,
            text=window_text(data),
            blocks=[
                block
                for stream in streams
                for block in window_blocks(data, where(points, stream=stream), stream)
            ],
            faults=faults(points),
        )

    def _placed(self, plan: BenchPlan) -> list[Placed]:
        return [*by_time(plan, compared(plan)), *_by_number(plan)]


WINDOWS = _Windows()
"""The experiment behind the paper's Fig. 6."""
