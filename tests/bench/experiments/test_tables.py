"""Tables 1 and 2 and identity, against the numbers they are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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

from ustory.scores.agreement import PROTOCOLS
from ustory_bench.experiments.identity import IDENTITY
from ustory_bench.experiments.table1 import TABLE1
from ustory_bench.experiments.table2 import TABLE2
from ustory_bench.experiments.trivial import APART, TOGETHER
from ustory_bench.report.blocks import Section, Table, TableRow
from ustory_bench.runner.jobs import TIMEOUT, BenchPlan, Cell
from ustory_bench.runner.scoring import METRICS, score

SYSTEMS = ("constream", "average-link", "constream-pse", "ustory", "ustory-auto")


@pytest.fixture(scope="module")
def plan() -> BenchPlan:
    return plan_of(*SYSTEMS)


@pytest.fixture(scope="module")
def cells(plan: BenchPlan) -> list[Cell]:
    return measured(TABLE2, plan, demo_inputs())


@pytest.fixture(scope="module")
def data(plan: BenchPlan, cells: list[Cell]) -> dict[str, Any]:
    return TABLE2.gather(plan, cells)


def tables(section: Section) -> dict[str, Table]:
    return {block.id: block for block in section.blocks if isinstance(block, Table)}


def rows(table: Table) -> dict[str, TableRow]:
    return {row.name: row for row in table.rows}


def test_table_1_counts_what_is_in_the_stream(plan: BenchPlan) -> None:
    data = TABLE1.gather(plan, measured(TABLE1, plan, demo_inputs()))
    section = shown(TABLE1, data)
    articles = demo_inputs().stream.articles

    cells = [cell.value for cell in tables(section)["table1"].rows[0].cells]

    labels = {one.article.label for one in articles}
    days = {(one.article.label, one.article.published_at.date()) for one in articles}
    assert cells[0] == len(articles)
    assert cells[1] == sum(len(one.sentences) for one in articles) / len(articles)
    assert cells[2] == len(labels)
    assert cells[3] == len(articles) / len(labels)
    assert cells[4] == len(articles) / len(days)
    assert cells[5] == 2


def test_table_2_shows_the_scores_of_each_system(data: dict[str, Any]) -> None:
    shown_tables = tables(shown(TABLE2, data))
    for system in SYSTEMS:
        figures = score(demo_inputs(), system=system)["figures"]
        for protocol in PROTOCOLS:
            for part in ("windowed", "whole_stream"):
                table = shown_tables[f"table2-{protocol}-{part.replace('_', '-')}"]
                values = [cell.value for cell in rows(table)[system].cells]
                wanted = [figures[protocol][f"{part}_{metric}"] for metric in METRICS]
                assert values == wanted


def test_table_2_has_blocks_bold_floors_and_improvements(data: dict[str, Any]) -> None:
    table = tables(shown(TABLE2, data))["table2-singleton-windowed"]

    names = [(row.block, row.name) for row in table.rows]

    assert names == [
        ("Baselines", "constream"),
        ("Baselines", "average-link"),
        ("PSE variants (tiny)", "constream-pse"),
        ("USTORY (tiny)", "ustory"),
        ("USTORY (tiny)", "△ over baselines"),
        ("USTORY (tiny)", "▲ over PSE variants"),
        ("USTORY (tiny)", "ustory-auto"),
        ("USTORY (tiny)", "△ over baselines"),
        ("USTORY (tiny)", "▲ over PSE variants"),
        ("No method", APART),
        ("No method", TOGETHER),
    ]
    first = [row.cells[0] for row in table.rows]
    scores = [cell.value for cell in first]
    assert [cell.best for cell in first].count(True) == 1
    assert first[0].best
    assert isinstance(scores[3], float)
    ratios = [float(scores[3]) / float(str(scores[place])) for place in (0, 1)]
    percent = 100 * (sum(ratios) / 2 - 1)
    assert scores[4] == f"{percent:+.1f} %".replace("-", "−")
    assert table.groups == [(NAME, 3)]
    assert "2 on stream" in table.note


def test_failed_systems_are_rows_that_say_so_and_sentences(
    plan: BenchPlan, cells: list[Cell]
) -> None:
    late = Cell(job=cells[1].job, status=TIMEOUT, reason="out of time: over 5 s")
    data = TABLE2.gather(plan, [failed(cells[0]), late, *cells[2:]])

    section = shown(TABLE2, data)

    table = rows(tables(section)["table2-singleton-windowed"])
    assert [cell.value for cell in table["constream"].cells] == ["failed", None, None]
    assert table["average-link"].cells[0].value == "out of time"
    assert rows(tables(section)["table2-cost"])["constream"].cells[1].value is None
    assert section.faults == [
        "constream on stream: the dog ate it.",
        "average-link on stream: out of time: over 5 s.",
    ]
    leads = rows(tables(section)["table2-lead"])
    assert leads["ustory"].cells[0].value == "constream-pse"


@pytest.mark.parametrize("experiment", [TABLE1, TABLE2, IDENTITY])
def test_a_table_of_which_all_jobs_failed_is_still_shown(
    experiment: Any,  # noqa: ANN401 - an experiment
    plan: BenchPlan,
) -> None:
    section = shown(experiment, experiment.gather(plan, all_failed(experiment, plan)))

    assert section.faults


def test_seeds_are_repeated_where_they_matter_and_their_spread_is_shown() -> None:
    plan = replace(plan_of("constream", "ustory-auto"), seeds=3)
    cells = measured(TABLE2, plan, demo_inputs())

    section = shown(TABLE2, TABLE2.gather(plan, cells))

    asked = [cell.job.arguments.get("seed") for cell in cells]
    assert asked == [0, 0, 1, 2, None, None]
    table = tables(section)["table2-seeds"]
    assert [row.name for row in table.rows] == ["ustory-auto"]
    found = [
        score(demo_inputs(), system="ustory-auto", seed=seed)["figures"]["singleton"]
        for seed in range(3)
    ]
    mean = sum(each["windowed_bcubed_f1"] for each in found) / 3
    assert table.rows[0].cells[0].value == pytest.approx(mean, abs=1e-6)


def test_systems_on_words_are_run_with_the_first_encoder_only() -> None:
    plan = replace(
        plan_of("constream", "constream-pse"), encoders=["tiny", "wordllama"]
    )

    asked = [(job.arguments.get("system"), job.encoder) for job in TABLE2.jobs(plan)]

    assert asked[:3] == [
        ("constream", "tiny"),
        ("constream-pse", "tiny"),
        ("constream-pse", "wordllama"),
    ]


def test_tuned_systems_have_tables_of_their_own() -> None:
    plan = plan_of("constream", "ustory-auto")
    choice = {"parameters": {"keywords": 3}, "tried": 20, "on": ["b"], "value": 0.5}
    same = {**choice, "parameters": {}}
    tuned = {NAME: {"ustory-auto": choice, "constream": same}}
    plan = replace(plan, tune=True, tuned=tuned)
    cells = measured(TABLE2, plan, demo_inputs())

    section = shown(TABLE2, TABLE2.gather(plan, cells))

    wanted = score(demo_inputs(), system="ustory-auto", parameters={"keywords": 3})
    table = rows(tables(section)["table2-tuned-paper-windowed"])
    value = wanted["figures"]["paper"]["windowed_ami"]
    assert table["ustory-auto"].cells[1].value == value
    chosen = rows(tables(section)["table2-choices"])
    assert chosen["ustory-auto"].cells[0].value == "keywords = 3"
    assert chosen["constream"].cells[0].value == "the default"


def test_identity_shares_the_jobs_of_table_2_and_shows_its_figures(
    plan: BenchPlan, cells: list[Cell]
) -> None:
    jobs = IDENTITY.jobs(plan)
    own = cells[: len(jobs)]
    assert [cell.job for cell in own] == list(jobs)

    section = shown(IDENTITY, IDENTITY.gather(plan, [failed(own[0]), *own[1:]]))

    table = tables(section)[f"identity-{NAME}"]
    found = score(demo_inputs(), system="ustory-auto")["identity"]
    values = [cell.value for cell in rows(table)["ustory-auto"].cells]
    assert values[0] == found["continuity_switches_per_story"]
    assert values[4] == found["arrival_bcubed_f1"]
    assert values[6] == found["settled_bcubed_f1"]
    assert values[10] == found["detection_median_hours"]
    assert rows(table)["constream"].cells[0].value == "failed"
    settled = [row.cells[6] for row in table.rows if row.cells[6].value is not None]
    assert [each.best for each in settled].count(True) == 1
