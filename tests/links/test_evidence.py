"""Evidence is even where it should be, and grows with likeness."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.links.evidence.meaning import MEANING_EVEN, meaning_log_odds
from ustory.links.evidence.words import (
    BODY_EVEN,
    LEAD_EVEN,
    body_log_odds,
    word_log_odds,
)
from ustory.links.prior import FEW_RIVALS, USUAL, chance, probability

COSINE = st.floats(0, 1)


def test_at_its_even_likeness_nothing_is_said() -> None:
    body, lead = np.array([BODY_EVEN]), np.array([LEAD_EVEN])

    assert word_log_odds(body, lead) == pytest.approx(0.0, abs=1e-12)
    assert body_log_odds(body) == pytest.approx(0.0, abs=1e-12)
    assert meaning_log_odds(np.array([MEANING_EVEN])) == pytest.approx(0.0)


@given(COSINE, COSINE, COSINE)
def test_more_in_common_never_says_less(low: float, high: float, other: float) -> None:
    pair, same = np.sort(np.array([low, high])), np.array([other, other])

    for found in (
        word_log_odds(pair, same),
        word_log_odds(same, pair),
        body_log_odds(pair),
        meaning_log_odds(pair),
    ):
        assert found[0] <= found[1]


def test_a_cosine_a_little_below_zero_counts_as_zero() -> None:
    below, zero = np.array([-1e-9]), np.zeros(1)

    assert word_log_odds(below, below) == word_log_odds(zero, zero)


def test_chance_is_less_among_many_articles_and_more_in_large_stories() -> None:
    assert chance(1.0, 1000) < chance(1.0, 100)
    assert chance(5.0, 100) > chance(1.0, 100)
    assert chance(6.0, 100) == pytest.approx(0.0) == chance(100 * USUAL - 1, 100)
    assert chance(1.0, 0) == chance(1.0, 2)


def test_chance_is_that_among_the_rivals_where_these_are_few() -> None:
    assert chance(1.0, 100_000, rivals=3.0) == pytest.approx(math.log(FEW_RIVALS / 4))
    assert chance(1.0, 100_000, rivals=3.0) == chance(1.0, 1_000_000, rivals=3.0)
    assert chance(1.0, 100_000, rivals=1e6) == chance(1.0, 100_000)


def test_a_probability_is_one_half_at_even_odds_and_never_overflows() -> None:
    odds = np.array([-1e6, -1.0, 0.0, 1.0, 1e6])

    found = probability(odds)

    assert found[2] == 0.5
    assert found[1] + found[3] == pytest.approx(1.0)
    assert found[0] == pytest.approx(0.0)
    assert found[4] == pytest.approx(1.0)
