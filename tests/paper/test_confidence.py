"""γ and the confidence, where they are delicate."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ustory.paper.assignment.similarity import is_assigned, log_denominator, threshold


@pytest.mark.parametrize(
    ("stories", "temperature", "expected"),
    [(1, 2.0, 0.75), (2, 2.0, 0.75), (2, 1.0, 0.5), (10, 2.0, 0.19), (4, 3.0, 37 / 64)],
)
def test_the_threshold_by_hand(
    stories: int, temperature: float, expected: float
) -> None:
    assert threshold(stories, temperature) == pytest.approx(expected, rel=1e-12)


def test_the_threshold_keeps_its_digits_among_many_stories() -> None:
    # 1 − (1 − 1/n)² = 2/n − 1/n² exactly
    assert threshold(10_000, 2.0) == pytest.approx(2e-4 - 1e-8, rel=1e-13)


@pytest.mark.parametrize("stories", [1, 2, 3, 10_000])
def test_at_temperature_one_the_best_of_equals_is_let_in(stories: int) -> None:
    similarity = np.full(1, 0.3)
    excess = np.array([stories * math.expm1(0.3)])
    log_confidence = similarity - log_denominator(excess, max(stories, 2))
    log_odds = log_confidence - math.log(threshold(stories, 1.0))
    if stories > 1:
        assert log_odds[0] == pytest.approx(0, abs=1e-12)
    assert is_assigned(similarity, log_odds).all()


def test_similarity_zero_is_never_assigned() -> None:
    assert not is_assigned(np.zeros(1), np.ones(1)).any()
