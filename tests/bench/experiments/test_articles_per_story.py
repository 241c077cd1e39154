from __future__ import annotations

from typing import Any

from tests.bench.experiments.figure_case import (
    all_failed,
    call,
    demo_inputs,
    plan_of,
    shown,
)
from tests.bench.experiments.sweep_case import figures_of, made_up, pretended, trace_of

from ustory_bench.experiments.articles_per_story import ARTICLES_PER_STORY, GRID
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import Cell, Job

PLAN = plan_of("miranda")


def test_the_experiment_is_found_by_its_name() -> None:
    assert find_experiment("articles-per-story") is ARTICLES_PER_STORY


def test_m_is_given_to_one_system_and_the_other_stands_beside_it() -> None:
    jobs = ARTICLES_PER_STORY.jobs(PLAN)

    assert [job.system for job in jobs] == ["ustory"] * len(GRID) + ["ustory-auto"]
    assert jobs[0].arguments["parameters"] == {"min_articles": 2}


def test_the_figure_has_a_line_over_m_and_a_level_line_without() -> None:
    section = _section()
    (figure,) = figures_of(section)

    assert trace_of(figure, "B³-F1")["x"] == list(GRID)
    assert trace_of(figure, "B³-F1")["y"] == [1 / m for m in GRID]
    level = trace_of(figure, "B³-F1, without M")
    assert level["y"] == [0.6, 0.6]
    assert level["marker"]["symbol"] == "circle-open"
    assert (
        "highest at M = 2 (0.500, against 0.125 at M = 8); without M it is 0.600"
        in (section.text)
    )


def test_what_failed_is_a_fault_and_the_rest_is_still_shown() -> None:
    cells = _cells()
    broken = all_failed(ARTICLES_PER_STORY, PLAN)
    section = shown(
        ARTICLES_PER_STORY, ARTICLES_PER_STORY.gather(PLAN, [broken[0], *cells[1:]])
    )
    nothing = shown(ARTICLES_PER_STORY, ARTICLES_PER_STORY.gather(PLAN, broken))

    assert section.faults == ["ustory on stream, M = 2: the dog ate it"]
    assert trace_of(figures_of(section)[0], "B³-F1")["y"][:2] == [None, 1 / 3]
    assert len(nothing.faults) == len(GRID) + 1
    assert "nothing could be measured" in nothing.text


def test_a_large_m_finds_fewer_stories_on_the_demo_stream() -> None:
    jobs = ARTICLES_PER_STORY.jobs(PLAN)
    recall = [
        call(job, demo_inputs())["windowed"]["bcubed_recall"]
        for job in (jobs[0], jobs[-2])
    ]

    assert recall[0] > recall[1] + 0.1


def _cells() -> list[Cell]:
    def result(job: Job) -> dict[str, Any]:
        if job.system == "ustory-auto":
            return made_up(0.6)
        return made_up(1 / job.arguments.get("parameters", {}).get("min_articles", 8))

    return pretended(ARTICLES_PER_STORY, PLAN, result)


def _section() -> Section:
    return shown(ARTICLES_PER_STORY, ARTICLES_PER_STORY.gather(PLAN, _cells()))
