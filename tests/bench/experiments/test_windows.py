from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
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

from ustory.core.settings import Settings
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.windows import NUMBERS, WINDOWS, compared, sizes
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import Job

PLAN = plan_of("constream", "ustory-auto", "staykovski")
F1 = {"ustory-auto": 0.8, "staykovski": 0.9, "constream": 0.7}


def test_the_experiment_is_found_by_its_name() -> None:
    assert find_experiment("windows") is WINDOWS


def test_windows_by_number_are_asked_of_our_engine_only() -> None:
    by_number = [job for job in WINDOWS.jobs(PLAN) if _window(job).isdigit()]

    assert {job.system for job in by_number} == {"ustory-auto"}
    assert [_window(job) for job in by_number] == [str(n) for n in NUMBERS]


def test_every_job_is_asked_once() -> None:
    keys = [job.key("") for job in WINDOWS.jobs(PLAN)]

    assert len(set(keys)) == len(keys) == 3 * 5 + 4


def test_ours_come_first_and_then_the_top_rivals() -> None:
    assert compared(PLAN) == ["ustory-auto", "staykovski", "constream"]


def test_two_other_systems_stand_in_where_no_top_rival_is_asked_for() -> None:
    plan = plan_of("ustory-no-time", "hdbscan", "textclust", "newslens")

    assert compared(plan) == ["ustory-auto", "hdbscan", "textclust"]


def test_the_plans_own_window_is_among_the_sizes() -> None:
    settings = Settings(
        mode="paper", window=timedelta(hours=30), slide=timedelta(hours=6)
    )

    plan = replace(PLAN, settings=settings, windows={"other": "9h"})
    found = sizes(plan, "stream")
    assert timedelta(hours=30) in found
    assert found == sorted(found)
    assert found[0] == timedelta(hours=6)
    assert timedelta(hours=9) not in found
    assert timedelta(hours=9) in sizes(plan, "other")


def test_lines_are_what_was_measured_in_milliseconds_and_scores() -> None:
    section = _pretended_section()
    by_time, by_number = figures_of(section)

    time, score = trace_of(by_time, "staykovski"), trace_of(by_time, "staykovski", "y2")
    assert time["x"] == score["x"] == [1, 3, 7, 14]
    assert time["y"] == [10, 30, 70, 140]
    assert score["y"] == [0.9] * 4
    assert score["error_y"]["array"] == [pytest.approx(0.04)] * 4
    assert score["error_y"]["arrayminus"] == [pytest.approx(0.05)] * 4
    own = trace_of(by_number, "ustory-auto, by number")
    assert own["x"] == [50, 100, 200, 400]
    assert trace_of(by_number, "staykovski")["x"] == [40.0] * 4


def test_lines_differ_in_colour_symbol_and_dash() -> None:
    _, by_number = figures_of(_pretended_section())
    upper = [trace for trace in by_number.traces if trace["yaxis"] == "y"]

    for look in ("colour", "symbol", "dash"):
        found = {
            {**t["meta"], **t["marker"], **t["line"]}[look] for t in map(dict, upper)
        }
        assert len(found) == len(upper) == 4


def test_the_text_names_the_best_and_how_times_grow() -> None:
    section = _pretended_section()

    assert "the highest B³-F1 is 0.900, by staykovski; ustory-auto has 0.800" in (
        section.text
    )
    assert "staykovski takes 10.0 ms a window of 1d and 140.0 ms one of 14d" in (
        section.text
    )
    assert figures_of(section)[0].alt in section.text


def test_the_table_marks_the_best_and_has_a_dash_where_no_window_was_full() -> None:
    (table,) = tables_of(_pretended_section())
    rows = {row.name: row.cells for row in table.rows}

    assert [v.value for v in rows["staykovski"][:5]] == [0.9] * 4 + [None]
    assert [v.best for v in rows["staykovski"][:5]] == [True] * 4 + [False]
    assert not any(v.best for v in rows["ustory-auto"])
    assert [v.value for v in rows["constream"][5:]] == [10, 30, 70, 140, None]


def test_what_failed_is_a_fault_and_a_dash() -> None:
    section = shown(WINDOWS, WINDOWS.gather(PLAN, all_failed(WINDOWS, PLAN)))

    assert len(section.faults) == 3 * 5 + 4
    assert section.faults[0] == "ustory-auto on stream, windows of 1d: the dog ate it"
    assert all_dashes(section)


def test_on_the_demo_stream_sizes_that_it_does_not_reach_are_left_out() -> None:
    plan = plan_of("ustory-auto", "constream")
    cells = measured(WINDOWS, plan, demo_inputs())
    section = shown(WINDOWS, WINDOWS.gather(plan, cells))

    by_time, by_number = figures_of(section)
    results = [c.result for c in cells if c.job.system == "constream"]
    assert trace_of(by_time, "constream", "y2")["y"] == [
        each["windowed"]["bcubed_f1"] for each in results[:3]
    ]
    assert trace_of(by_number, "ustory-auto, by number")["x"] == [50, 100]
    assert not section.faults


def _window(job: Job) -> str:
    return str(job.arguments.get("settings", {}).get("window", "7d"))


def _pretended_section() -> Section:
    def result(job: Job) -> dict[str, Any]:
        size = _window(job)
        days = 1 if size.isdigit() else int(size.removesuffix("d"))
        return made_up(F1[job.system], seconds=days / 100, full=days < 21)

    return shown(WINDOWS, WINDOWS.gather(PLAN, pretended(WINDOWS, PLAN, result)))
