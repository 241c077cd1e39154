from __future__ import annotations

import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    demo_inputs,
    inputs_of,
    measured,
    plan_of,
    shown,
    written,
)

from ustory.core.errors import ConfigError
from ustory.engine.explain import decision_on
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.segments import busiest
from ustory_bench.experiments.sentences import ARTICLES, LEAST, SENTENCES, measure
from ustory_bench.report.blocks import Table
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.score import duration
from ustory_bench.system import find_system


def test_the_experiment_is_registered() -> None:
    assert find_experiment("sentences") is SENTENCES


def test_the_weights_are_those_that_the_engine_explains_with() -> None:
    inputs = demo_inputs()
    window = duration(inputs.settings.window)
    articles = busiest(inputs.stream, window, inputs.settings).articles
    engine = find_system("ustory-auto").make(inputs.settings, inputs.encoder)
    state = engine.begin()
    for slide in prepared_slides(articles, inputs.settings):
        state, _ = engine.advance(state, slide)

    found = measure(inputs)["articles"]

    assert 1 <= len(found) <= ARTICLES
    for each in found:
        one = next(
            a for a in articles if a.article.title.startswith(each["title"][:25])
        )
        decision = decision_on(state, one.article.id)
        assert decision is not None
        assert len(decision.weights) == each["sentences"] >= LEAST
        assert sum(decision.weights) == pytest.approx(1)
        shown_weights = [row["weight"] for row in each["rows"]]
        ranked = sorted(decision.weights, reverse=True)
        expected = [*ranked[:3], *ranked[-3:]]
        assert shown_weights == pytest.approx(expected, abs=1e-6)
        for row in each["rows"]:
            text = one.sentences[row["place"]]
            assert text.startswith(row["text"].removesuffix(" …")[:40])
            weight = decision.weights[row["place"]]
            assert row["weight"] == pytest.approx(weight, abs=1e-6)


def test_each_article_has_six_different_sentences() -> None:
    for each in measure(demo_inputs())["articles"]:
        assert len({row["place"] for row in each["rows"]}) == 6


def test_articles_that_are_too_short_are_refused_in_words() -> None:
    short = [
        written(f"{name}{i}", [f"{name} in Velm", f"More {name}"], name, i)
        for name in ("rain", "vote")
        for i in range(4)
    ]

    with pytest.raises(ConfigError, match="an article of 8 sentences"):
        measure(inputs_of(sorted(short, key=lambda one: one.article.published_at)))


def test_the_table_has_a_block_for_each_article() -> None:
    cells = measured(SENTENCES, plan_of(), demo_inputs())
    (table,) = shown(SENTENCES, SENTENCES.gather(plan_of(), cells)).blocks

    assert isinstance(table, Table)
    articles = cells[0].result["articles"]
    assert len({row.block for row in table.rows}) == len(articles)
    weights = [row["weight"] for one in articles for row in one["rows"]]
    assert [row.cells[0].value for row in table.rows] == weights


def test_a_failed_cell_is_a_fault_and_nothing_else() -> None:
    cells = all_failed(SENTENCES, plan_of())
    section = shown(SENTENCES, SENTENCES.gather(plan_of(), cells))

    assert not section.blocks
    assert list(section.faults) == ["Sentences on stream (ustory-auto): the dog ate it"]
