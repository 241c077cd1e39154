from __future__ import annotations

from typing import Any

import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    demo_inputs,
    measured,
    plan_of,
    shown,
)
from tests.bench.experiments.sweep_case import (
    all_dashes,
    figures_of,
    made_up,
    pretended,
    tables_of,
    trace_of,
)

from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.steps import PARTS, STEPS
from ustory_bench.experiments.windows import WINDOWS
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import Job

PLAN = plan_of("ustory", "ustory-auto", "miranda")
SECONDS = {
    "initial": 0.001,
    "seeding": 0.005,
    "assignment": 0.002,
    "summary": 0.001,
    "window": 0.0004,
    "text": 0.0006,
}


def test_the_experiment_is_found_by_its_name() -> None:
    assert find_experiment("steps") is STEPS


def test_the_runs_are_those_of_the_window_sizes() -> None:
    shared = {job.key("") for job in WINDOWS.jobs(PLAN)}
    own = {job.key("") for job in STEPS.jobs(PLAN)}

    assert own < shared
    assert {job.system for job in STEPS.jobs(PLAN)} == {"ustory", "ustory-auto"}


def test_shares_are_per_cent_of_all_steps() -> None:
    shares, _ = figures_of(_section())

    assert trace_of(shares, "seeding")["y"] == [50.0, 50.0]
    # the window is moved, and terms are numbered, outside of the paper's steps
    assert trace_of(shares, "moving the window")["y"] == [10.0, 10.0]
    assert sum(trace["y"][0] for trace in shares.traces) == pytest.approx(100)
    assert len({trace["marker"]["pattern"]["shape"] for trace in shares.traces}) == 5


def test_times_are_milliseconds_per_window() -> None:
    section = _section()
    (table,), (_, by_size) = tables_of(section), figures_of(section)

    assert table.columns == [*PARTS, "all"]
    assert [v.value for v in table.rows[0].cells] == pytest.approx([1, 5, 2, 1, 1, 10])
    # no window of 21 days was full
    assert trace_of(by_size, "seeding")["x"] == ["1d", "3d", "7d", "14d"]
    assert trace_of(by_size, "seeding")["y"] == [5.0] * 4
    assert "takes 10.0 ms a window of 7d; the largest part, 50 %, is seeding" in (
        section.text
    )


def test_what_failed_is_a_fault_and_a_dash() -> None:
    section = shown(STEPS, STEPS.gather(PLAN, all_failed(STEPS, PLAN)))

    assert len(section.faults) == 2 * 5
    assert all_dashes(section)
    assert "Nothing was measured." in section.text


def test_on_the_demo_stream_the_steps_are_those_of_the_stopwatch() -> None:
    plan = plan_of("ustory-auto")
    cells = measured(STEPS, plan, demo_inputs())
    section = shown(STEPS, STEPS.gather(plan, cells))

    (usual,) = (c.result for c in cells if "settings" not in c.job.arguments)
    (table,) = tables_of(section)
    parts = dict(zip(table.columns, table.rows[0].cells, strict=True))
    for step, name in (("seeding", "seeding"), ("summary update", "summary")):
        assert parts[step].value == pytest.approx(1000 * usual["steps"][name], abs=1e-3)


def _section() -> Section:
    def result(job: Job) -> dict[str, Any]:
        size = job.arguments.get("settings", {}).get("window", "7d")
        return made_up(0.8, full=size != "21d", steps=SECONDS)

    return shown(STEPS, STEPS.gather(PLAN, pretended(STEPS, PLAN, result)))
