from __future__ import annotations

from itertools import combinations

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
from ustory.testing import TinyEncoder
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.cosines import COSINES, measure
from ustory_bench.experiments.granularity import (
    LEVELS,
    cosines,
    higher_share,
    word_means,
)
from ustory_bench.experiments.segments import in_turn
from ustory_bench.report.blocks import Figure, Table

pytest.importorskip("sklearn", reason="t-SNE comes with the extra bench")


def test_the_experiment_is_registered() -> None:
    assert find_experiment("cosines") is COSINES


def test_cosines_are_those_of_all_pairs_in_a_window() -> None:
    inputs = demo_inputs()
    within: list[float] = []
    across: list[float] = []
    for part in in_turn(inputs.stream.articles, inputs.settings):
        for one, other in combinations(part, 2):
            labels = one.article.label, other.article.label
            if None not in labels:
                side = within if labels[0] == labels[1] else across
                side.append(float(unit_mean(one) @ unit_mean(other)))
    better = sum(a > b for a in within for b in across)

    found = {level["level"]: level for level in measure(inputs)["levels"]}

    assert tuple(found) == LEVELS
    plain = found["sentences"]
    assert plain["within"]["pairs"] == len(within)
    assert plain["across"]["pairs"] == len(across)
    assert plain["within"]["mean"] == pytest.approx(np.mean(within), abs=1e-5)
    assert plain["across"]["mean"] == pytest.approx(np.mean(across), abs=1e-5)
    expected = better / len(within) / len(across)
    assert plain["share"] == pytest.approx(expected, abs=1e-4)


def test_words_are_encoded_one_by_one_and_each_counts_once() -> None:
    encoder = TinyEncoder()
    article = written("a", ["Rain, rain and wind"], "x")

    found = word_means([article], encoder)

    words = encoder.encode(["Rain", "rain", "and", "wind"]).astype(np.float32)
    np.testing.assert_allclose(found[0], words.mean(axis=0), atol=1e-6)


def test_an_article_without_a_word_is_the_mean_of_its_sentences() -> None:
    rows = word_means(
        [written("a", ["Rain"], "x"), written("b", ["?!"], "x")], TinyEncoder()
    )

    np.testing.assert_array_equal(rows[1], TinyEncoder().encode(["?!"])[0])


def test_articles_without_a_label_are_in_no_pair() -> None:
    rows = np.eye(2, dtype=np.float32)[[0, 0, 1, 1]]

    within, across = cosines(rows, ["x", "x", "y", None])

    assert within.tolist() == [1]
    assert across.tolist() == [0, 0]


def test_equal_cosines_count_half() -> None:
    assert higher_share(np.array([0.5]), np.array([0.5, 0.5])) == 0.5
    assert higher_share(np.array([0.9, 0.1]), np.array([0.5])) == 0.5
    assert higher_share(np.array([0.9]), np.array([0.5])) == 1


def test_a_stream_without_two_articles_of_one_story_is_refused_in_words() -> None:
    articles = [
        written(f"a{i}", ["Rain in Velm", "Wind"], f"s{i}", i) for i in range(3)
    ]

    with pytest.raises(ConfigError, match="pairs of the same story"):
        measure(inputs_of(articles))


def test_the_section_has_the_numbers_and_both_pictures() -> None:
    cells = measured(COSINES, plan_of(), demo_inputs())
    section = shown(COSINES, COSINES.gather(plan_of(), cells))

    table, boxes, picture = section.blocks
    assert isinstance(table, Table)
    assert isinstance(boxes, Figure)
    assert isinstance(picture, Figure)
    assert [row.name for row in table.rows] == list(LEVELS)
    assert sum(cell.best for row in table.rows for cell in row.cells) >= 1
    levels = cells[0].result["levels"]
    assert boxes.traces[0]["mean"] == [level["within"]["mean"] for level in levels]
    # the right panel shows some of the points of the left one
    sides = [
        {
            place
            for trace in picture.traces
            if trace["xaxis"] == axis
            for place in zip(trace["x"], trace["y"], strict=True)
        }
        for axis in ("x", "x2")
    ]
    assert sides[1] < sides[0]
    assert not section.faults


def test_a_failed_cell_is_a_fault_and_nothing_else() -> None:
    cells = all_failed(COSINES, plan_of())
    section = shown(COSINES, COSINES.gather(plan_of(), cells))

    assert not section.blocks
    assert list(section.faults) == ["Cosines on stream (ustory-auto): the dog ate it"]
