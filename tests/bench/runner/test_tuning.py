"""Tuning tries few configurations, and never looks at the stream that is reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from zlib import crc32

from hypothesis import given, settings
from hypothesis import strategies as st

from ustory.core.settings import Settings
from ustory_bench.experiments.table_rows import TUNED, jobs_of, lines_of, tuned_lines_of
from ustory_bench.runner.input_streams import SIMULATED
from ustory_bench.runner.jobs import FAILED, OK, BenchPlan, Cell, Job
from ustory_bench.runner.scoring import SCORE, TRIAL
from ustory_bench.runner.tuning import FINALISTS, MAX_CONFIGURATIONS, Search
from ustory_bench.system import find_system

PLAN = BenchPlan(
    streams=["a", "b"],
    encoders=["tiny"],
    systems=["miranda", "ustory", "ustory-auto"],
    settings=Settings(mode="paper"),
    tune=True,
)
DIGESTS = {name: name for name in ("a", "b", *SIMULATED)}


def search(
    value: Callable[[Job], float | None], digests: dict[str, str] | None = None
) -> tuple[BenchPlan, list[Job]]:
    done: list[Job] = []

    def do(jobs: Sequence[Job]) -> list[Cell]:
        done.extend(jobs)
        found = [(job, value(job)) for job in jobs]
        return [
            Cell(job=job, status=FAILED, reason="no")
            if each is None
            else Cell(job=job, status=OK, result=result(job, each))
            for job, each in found
        ]

    return Search(PLAN, digests or DIGESTS, do).tuned(), done


def result(job: Job, value: float) -> dict[str, Any]:
    """Return what the task of a job returns, if that is how good it is."""
    if job.task == TRIAL:
        return {"value": value}
    parts = ("windowed_bcubed_f1", "whole_stream_bcubed_f1")
    return {"figures": {"singleton": dict.fromkeys(parts, value)}}


def parameters(job: Job) -> dict[str, Any]:
    """Return all parameters of a job but M, those that are not changed included."""
    usual = dict(find_system(job.system).parameters)
    usual.pop("min_articles", None)
    return {**usual, **job.arguments.get("parameters", {})}


def keywords(job: Job) -> float:
    return float(parameters(job).get("keywords", 0)) / 100


def test_the_best_configuration_of_the_other_streams_is_chosen() -> None:
    plan, _ = search(keywords)

    choice = plan.tuned["a"]["ustory-auto"]

    assert choice["parameters"]["keywords"] == 15
    assert choice["on"] == ["b", *SIMULATED]
    assert choice["value"] == 0.15
    assert choice["default"] == 0.1
    assert json.loads(json.dumps(plan.tuned)) == plan.tuned


def test_few_configurations_are_tried_and_fewer_on_the_given_streams() -> None:
    _, jobs = search(keywords)

    tried = Counter((job.system, job.stream) for job in jobs)

    for job in jobs:
        assert job.task == (TRIAL if job.stream in SIMULATED else SCORE)
    for system in PLAN.systems:
        assert 1 < tried[system, "simulated-1"] <= MAX_CONFIGURATIONS
        assert tried[system, "a"] == min(FINALISTS, tried[system, "simulated-1"])
    assert not any("min_articles" in parameters(job) for job in jobs)


@given(st.integers(0, 2**32))
@settings(max_examples=10)
def test_what_happens_on_the_reported_stream_changes_nothing(seed: int) -> None:
    random = Random(seed)

    def elsewhere(job: Job) -> float:
        return crc32(json.dumps(parameters(job)).encode()) % 97 / 97

    def noisy(job: Job) -> float | None:
        if job.stream != "a":
            return elsewhere(job)
        return random.choice([None, random.random()])

    assert search(elsewhere)[0].tuned["a"] == search(noisy)[0].tuned["a"]


def test_another_name_for_the_reported_stream_has_no_say() -> None:
    plan, jobs = search(keywords, {**DIGESTS, "b": "a"})

    assert {job.stream for job in jobs} == set(SIMULATED)
    assert plan.tuned["a"]["ustory"]["on"] == list(SIMULATED)


def test_a_system_that_fails_everywhere_is_not_chosen_for_and_has_no_line() -> None:
    plan, _ = search(lambda job: None if job.system == "miranda" else 0.5)

    assert set(plan.tuned["a"]) == {"ustory", "ustory-auto"}
    assert plan.tuned["a"]["ustory"]["parameters"] == {}  # a tie is the default's
    assert [line.system for line in tuned_lines_of(plan)] == ["ustory", "ustory-auto"]


def test_what_the_tables_ask_for_was_done_while_tuning() -> None:
    plan, done = search(keywords)
    lines = [*lines_of(plan), *tuned_lines_of(plan)]
    keys = {job.key("") for job in done}

    asked = jobs_of(lines, plan)

    assert len(asked) > len({job.key("") for job in asked})  # miranda is as it was
    assert {job.key("") for job in asked} <= keys


def test_tuned_lines_run_what_was_chosen_and_defaults_are_shared() -> None:
    plan, _ = search(keywords)
    chosen = {line.system: line.jobs(plan, "a") for line in tuned_lines_of(plan)}
    usual = {line.system: line.jobs(plan, "a") for line in lines_of(plan)}

    (job,) = chosen["ustory"]

    assert all(line.setting == TUNED for line in tuned_lines_of(plan))
    assert job.arguments["parameters"]["keywords"] == 15
    assert "keywords" not in find_system("miranda").parameters
    assert chosen["miranda"] == usual["miranda"]
