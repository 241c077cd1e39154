"""Sweeps whose results are made up, so that what is drawn of them is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ustory_bench.experiments.contract import Experiment
from ustory_bench.report.blocks import Figure, Section, Table, Value
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Job


def made_up(
    f1: float, seconds: float = 0.01, full: bool = True, **more: object
) -> dict[str, Any]:
    """Return what the task of a sweep returns, with AMI and ARI a little lower."""
    scores = {"bcubed_f1": f1, "ami": f1 - 0.1, "ari": f1 - 0.2}
    return {
        "articles": 100,
        "windows": 20,
        "full_windows": full,
        "articles_per_window": 40.0,
        "stories_per_window": 5.0,
        "windowed": scores,
        "intervals": {name: [v - 0.05, v + 0.04] for name, v in scores.items()},
        "whole_stream": scores,
        "seconds": {"slides": 20, "mean": seconds, "median": seconds, "interval": None},
        "steps": None,
        **more,
    }


def pretended(
    experiment: Experiment, plan: BenchPlan, result: Callable[[Job], dict[str, Any]]
) -> list[Cell]:
    """Return the cells of all jobs, with made-up results."""
    return [
        Cell(job=job, status=OK, result=result(job)) for job in experiment.jobs(plan)
    ]


def figures_of(section: Section) -> list[Figure]:
    """Return the figures of a section."""
    return [block for block in section.blocks if isinstance(block, Figure)]


def tables_of(section: Section) -> list[Table]:
    """Return the tables of a section."""
    return [block for block in section.blocks if isinstance(block, Table)]


def trace_of(figure: Figure, name: str, yaxis: str = "y") -> dict[str, Any]:
    """Return the one trace of a name in a panel."""
    (found,) = (
        dict(trace)
        for trace in figure.traces
        if trace["name"] == name and trace.get("yaxis", "y") == yaxis
    )
    return found


def all_dashes(section: Section) -> bool:
    """Say whether no table of a section has a number."""
    values: Iterable[Sequence[Value]] = (
        row.cells for table in tables_of(section) for row in table.rows
    )
    return all(value.value is None for row in values for value in row)
