from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.bench.experiments.figure_case import (
    NAME,
    all_failed,
    demo_inputs,
    failed,
    measured,
    plan_of,
    shown,
)

from ustory.core.settings import REPRESENTATIONS
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.strategies import SENTENCES, STRATEGIES, measure
from ustory_bench.report.blocks import Figure, Table
from ustory_bench.runner.jobs import Cell
from ustory_bench.runner.score import score_system
from ustory_bench.system import find_system


@cache
def few_cells() -> list[Cell]:
    """Return the cells of a short stream, which all tests of the section share."""
    whole = demo_inputs()
    few = replace(whole.stream, articles=whole.stream.articles[:50])
    return measured(STRATEGIES, plan_of(), replace(whole, stream=few))


def test_the_experiment_is_registered() -> None:
    assert find_experiment("strategies") is STRATEGIES


def test_every_strategy_meets_every_number_of_sentences_once() -> None:
    jobs = STRATEGIES.jobs(plan_of())

    pairs = {(job.arguments["strategy"], job.arguments["sentences"]) for job in jobs}
    assert len(jobs) == len(pairs) == len(REPRESENTATIONS) * len(SENTENCES)


def test_the_default_strategy_on_all_sentences_is_the_system_itself() -> None:
    inputs = demo_inputs()
    outcome = score_system(
        find_system("ustory-auto"), inputs.stream, inputs.settings, inputs.encoder
    )

    found = measure(inputs, "ThemSentMean", None)

    expected = outcome.report.windowed.mean.bcubed_f1
    assert found["figures"]["bcubed_f1"] == pytest.approx(expected, abs=1e-6)


def test_one_sentence_is_one_sentence_however_it_is_pooled() -> None:
    inputs = demo_inputs()

    mean, conc = (measure(inputs, f"IndSent{how}", 1) for how in ("Mean", "Conc"))

    assert mean["figures"] == conc["figures"]


def test_the_section_shows_all_scores_and_a_dash_for_what_failed() -> None:
    plan = plan_of()
    cells = few_cells()
    broken = [failed(cells[0]), *cells[1:]]
    section = shown(STRATEGIES, STRATEGIES.gather(plan, broken))

    table, figure = section.blocks
    assert isinstance(table, Table)
    assert isinstance(figure, Figure)
    values = [[cell.value for cell in row.cells] for row in table.rows]
    scores = [cell.result["figures"]["bcubed_f1"] for cell in cells]
    # jobs are by strategy, then by number of sentences
    assert [v for row in values for v in row] == [None, *scores[1:]]
    assert [trace["y"] for trace in figure.traces] == values
    bold = [cell.value for row in table.rows for cell in row.cells if cell.best]
    assert set(bold) == {max(scores[1:])}
    assert list(section.faults) == [
        f"ThemSentMean, sentences: 1, on {NAME} (ustory-auto): the dog ate it"
    ]


def test_lines_differ_in_more_than_colour() -> None:
    plan = plan_of()
    cells = few_cells()
    figure = shown(STRATEGIES, STRATEGIES.gather(plan, cells)).blocks[1]

    assert isinstance(figure, Figure)
    looks = {(t["line"]["dash"], t["marker"]["symbol"]) for t in figure.traces}
    assert len(looks) == len(REPRESENTATIONS)


def test_all_cells_failed_is_a_section_of_dashes() -> None:
    plan = plan_of()
    cells = all_failed(STRATEGIES, plan)
    section = shown(STRATEGIES, STRATEGIES.gather(plan, cells))

    table = section.blocks[0]
    assert isinstance(table, Table)
    assert {cell.value for row in table.rows for cell in row.cells} == {None}
    assert len(section.faults) == len(cells)
