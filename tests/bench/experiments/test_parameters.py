from __future__ import annotations

from typing import Any

import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    call,
    demo_inputs,
    plan_of,
    shown,
)
from tests.bench.experiments.sweep_case import figures_of, made_up, pretended

from ustory_bench.experiments.articles_per_story import ARTICLES_PER_STORY
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.parameters import GRID, PARAMETERS
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import Job
from ustory_bench.runner.score import score_system
from ustory_bench.system import find_system

PLAN = plan_of("ustory-auto", "miranda")


def test_the_experiment_is_found_by_its_name() -> None:
    assert find_experiment("parameters") is PARAMETERS


def test_one_parameter_varies_at_a_time_and_the_default_is_measured_once() -> None:
    jobs = PARAMETERS.jobs(PLAN)

    changed = [job.arguments.get("parameters", {}) for job in jobs]
    assert all(len(each) <= 1 for each in changed)
    assert len(jobs) == sum(len(values) for values in GRID.values())
    assert len({job.key("") for job in jobs}) == len(jobs) - 1


def test_the_default_run_is_shared_with_the_sweep_over_m() -> None:
    own = {job.key("") for job in PARAMETERS.jobs(PLAN)}
    others = {job.key("") for job in ARTICLES_PER_STORY.jobs(PLAN)}

    assert len(own & others) == 1


def test_the_panels_show_the_three_scores_against_n_and_t() -> None:
    (figure,) = figures_of(_section())

    left = {t["name"]: t for t in figure.traces if t["xaxis"] == "x"}
    right = {t["name"]: t for t in figure.traces if t["xaxis"] == "x2"}
    assert set(left) == set(right) == {"B³-F1", "AMI", "ARI"}
    assert left["B³-F1"]["x"] == list(GRID["keywords"])
    assert left["B³-F1"]["y"] == [
        pytest.approx(0.5 if n == 10 else n / 100) for n in GRID["keywords"]
    ]
    assert right["ARI"]["x"] == list(GRID["temperature"])
    assert [t["showlegend"] for t in figure.traces] == [True] * 3 + [False] * 3


def test_the_panels_share_a_scale_and_no_axis_so_that_a_phone_can_stack_them() -> None:
    (figure,) = figures_of(_section())

    assert {(t["xaxis"], t["yaxis"]) for t in figure.traces} == {
        ("x", "y"),
        ("x2", "y2"),
    }
    assert figure.layout["yaxis2"]["matches"] == "y"
    assert figure.layout["xaxis2"]["anchor"] == "y2"
    assert figure.layout["yaxis2"]["anchor"] == "x2"


def test_the_text_says_how_far_scores_go_and_what_the_default_has() -> None:
    section = _section()

    assert "with N from 0.010 at N = 1 to 0.500 at N = 10, which is the default" in (
        section.text
    )
    assert "with T from 0.010 at T = 1 to 0.500 at T = 2" in section.text
    assert "N = 10, T = 2" in section.text


def test_another_best_than_the_default_is_said() -> None:
    def result(job: Job) -> dict[str, Any]:
        return made_up(job.arguments.get("parameters", {}).get("keywords", 10) / 20)

    cells = pretended(PARAMETERS, PLAN, result)
    section = shown(PARAMETERS, PARAMETERS.gather(PLAN, cells))

    assert "to 0.750 at N = 15, and is 0.500 at the default of 10" in section.text


def test_what_failed_is_a_fault_and_a_gap() -> None:
    section = shown(PARAMETERS, PARAMETERS.gather(PLAN, all_failed(PARAMETERS, PLAN)))

    assert "ustory-auto on stream, T = 1.5: the dog ate it" in section.faults
    assert "nothing could be measured" in section.text
    assert all(set(t["y"]) == {None} for t in figures_of(section)[0].traces)


def test_a_point_is_the_score_of_a_run_with_that_parameter() -> None:
    inputs = demo_inputs()
    (job,) = (
        job
        for job in PARAMETERS.jobs(PLAN)
        if job.arguments.get("parameters") == {"temperature": 3.0}
    )
    system = find_system("ustory-auto")
    outcome = score_system(
        system, inputs.stream, inputs.settings, inputs.encoder, {"temperature": 3.0}
    )

    assert call(job, inputs)["windowed"]["ami"] == pytest.approx(
        outcome.report.windowed.mean.ami, abs=1e-6
    )


def _section() -> Section:
    def result(job: Job) -> dict[str, Any]:
        changed = list(job.arguments.get("parameters", {}).values())
        return made_up(changed[0] / 100 if changed else 0.5)

    cells = pretended(PARAMETERS, PLAN, result)
    return shown(PARAMETERS, PARAMETERS.gather(PLAN, cells))
