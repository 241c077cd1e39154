"""Average precision, its resamples and its curve are what their formulas say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from ustory_bench.quality.ranking import (
    average_precision,
    interval,
    precision_recall,
    resampled,
)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30
    ).filter(lambda pairs: any(right for _, right in pairs))
)
def test_it_is_the_average_precision_of_others_ties_included(
    pairs: list[tuple[int, bool]],
) -> None:
    scores = np.array([score for score, _ in pairs], dtype=np.float64)
    right = np.array([each for _, each in pairs])

    expected = average_precision_score(right, scores)

    assert average_precision(scores, right) == pytest.approx(expected)


def test_equal_scores_are_read_together_in_whatever_order_they_come() -> None:
    right = np.array([True, False, False, True])

    found = average_precision(np.zeros(4), right)

    assert found == average_precision(np.zeros(4), right[::-1]) == 0.5
    assert average_precision(np.arange(4.0), ~right | right) == 1.0
    assert np.isnan(average_precision(np.arange(4.0), np.zeros(4, dtype=bool)))


def test_a_resample_is_the_average_precision_of_the_pairs_that_it_draws() -> None:
    random = np.random.default_rng(1)
    scores, right = random.integers(0, 6, 40).astype(float), random.random(40) < 0.4

    found = resampled({"one": scores}, right, resamples=5)["one"]

    drawn = np.random.default_rng(20).multinomial(40, np.full(40, 1 / 40), size=5)
    for value, counts in zip(found, drawn, strict=True):
        rows = np.repeat(np.arange(40), counts)
        assert value == pytest.approx(average_precision(scores[rows], right[rows]))


def test_all_systems_are_resampled_by_the_same_pairs() -> None:
    random = np.random.default_rng(2)
    scores, right = random.random(60), random.random(60) < 0.5

    found = resampled({"one": scores, "same": 3 * scores - 1}, right, resamples=50)
    again = resampled({"one": scores}, right, resamples=50)

    assert (found["one"] == found["same"]).all()
    assert (found["one"] == again["one"]).all()
    assert found["one"].std() > 0


def test_an_interval_holds_the_middle_and_leaves_out_what_is_unknown() -> None:
    values = np.append(np.arange(1001.0), np.nan)

    assert interval(values) == pytest.approx((25.0, 975.0))
    assert np.isnan(interval(np.array([np.nan]))).all()


def test_the_curve_counts_right_pairs_that_have_no_score() -> None:
    scores, right = np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, True, False, False])

    curve = precision_recall(scores, right, of=4)

    assert curve.threshold.tolist() == [3.0, 2.0, 1.0]
    assert curve.precision.tolist() == pytest.approx([1.0, 2 / 3, 0.5])
    assert curve.recall.tolist() == [0.25, 0.5, 0.5]
    assert all(before <= after for before, after in pairwise(curve.recall))
    assert (curve.recall_at(0.6), curve.recall_at(0.9)) == (0.5, 0.25)
    assert precision_recall(scores, ~right).recall_at(0.9) == 0.0
