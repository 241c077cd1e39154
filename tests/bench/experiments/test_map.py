from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    demo_inputs,
    inputs_of,
    measured,
    plan_of,
    shown,
    unit_mean,
    written,
)

from ustory.core.errors import ConfigError
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.map import MAP, STORIES, measure
from ustory_bench.experiments.segments import busiest
from ustory_bench.report.blocks import Figure, Table
from ustory_bench.runner.follow import follow
from ustory_bench.runner.score import duration
from ustory_bench.system import find_system

pytest.importorskip("sklearn", reason="t-SNE comes with the extra bench")


def test_the_experiment_is_registered() -> None:
    assert find_experiment("map") is MAP


def test_the_articles_of_the_largest_true_stories_are_shown() -> None:
    inputs = demo_inputs()
    window = duration(inputs.settings.window)
    articles = busiest(inputs.stream, window, inputs.settings).articles
    sizes = Counter(one.article.label for one in articles if one.article.label)

    found = measure(inputs)

    shown_sizes = sorted(Counter(found["story"]).values(), reverse=True)
    largest = [n for _, n in sizes.most_common(STORIES) if n > 1]
    assert shown_sizes == largest
    for strategy in found["strategies"].values():
        assert len(strategy["places"]) == len(found["story"]) == len(found["texts"])


def test_the_plain_side_is_the_nearest_neighbour_by_sentence_means() -> None:
    inputs = demo_inputs()
    found = measure(inputs)
    window = duration(inputs.settings.window)
    articles = [
        one
        for one in busiest(inputs.stream, window, inputs.settings).articles
        if one.article.label in found["stories"]
    ]
    rows = np.stack([unit_mean(one) for one in articles])
    near = rows @ rows.T
    np.fill_diagonal(near, -1)
    labels = [one.article.label for one in articles]
    same = [labels[i] == labels[int(near[i].argmax())] for i in range(len(labels))]

    share = found["strategies"]["IndSentMean"]["nearest"]

    assert share == pytest.approx(np.mean(same), abs=1.5 / len(same))


def test_assigned_are_those_that_have_a_story_at_the_end_of_the_window() -> None:
    inputs = demo_inputs()
    found = measure(inputs)
    window = duration(inputs.settings.window)
    articles = busiest(inputs.stream, window, inputs.settings).articles
    system = find_system("ustory-auto").make(inputs.settings, inputs.encoder)
    *_, last = follow(system, articles, inputs.settings)

    expected = sum(
        last.stories[one.article.id] is not None
        for one in articles
        if one.article.label in found["stories"]
    )
    assert found["assigned"] == expected > 0


def test_a_window_with_a_single_story_is_refused_in_words() -> None:
    lone = [written(f"a{i}", ["Rain in Velm"], "x", i) for i in range(3)]

    with pytest.raises(ConfigError, match="a map needs two true stories"):
        measure(inputs_of([*lone, written("b", ["Vote"], "y", 4)]))


def test_both_panels_show_the_same_articles() -> None:
    cells = measured(MAP, plan_of(), demo_inputs())
    figure, table = shown(MAP, MAP.gather(plan_of(), cells)).blocks

    assert isinstance(figure, Figure)
    assert isinstance(table, Table)
    left, right = (
        [(t["name"], t["text"]) for t in figure.traces if t["xaxis"] == axis]
        for axis in ("x", "x2")
    )
    assert left == right
    strategies = cells[0].result["strategies"]
    assert {row.name: row.cells[0].value for row in table.rows} == {
        name: each["nearest"] for name, each in strategies.items()
    }


def test_a_failed_cell_is_a_fault_and_nothing_else() -> None:
    cells = all_failed(MAP, plan_of())
    section = shown(MAP, MAP.gather(plan_of(), cells))

    assert not section.blocks
    assert list(section.faults) == ["Map on stream (ustory-auto): the dog ate it"]
