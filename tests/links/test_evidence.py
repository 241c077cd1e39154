"""Evidence is even where it should be, and grows with likeness."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.arrays import Indices
from ustory.core.evidence import Pairs
from ustory.links.evidence.meaning import (
    MEANING_EVEN,
    MeaningEvidence,
    meaning_log_odds,
)
from ustory.links.evidence.words import (
    BODY_EVEN,
    LEAD_EVEN,
    WordEvidence,
    body_log_odds,
    pair_reliability,
    word_log_odds,
)
from ustory.links.prior import CONTRAST, USUAL_BEST, contrast, probability

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


def test_of_two_long_texts_words_decide_and_of_two_short_ones_meaning() -> None:
    short, long_ = (_weighed(np.array([n, n])) for n in (5, 4_000))

    assert abs(short[0]) < abs(short[1])
    assert abs(long_[0]) > 50 * abs(long_[1])


def test_a_pair_is_as_reliable_as_its_texts_are_together() -> None:
    pairs = _pairs(np.array([40, 40 * 15]))

    assert pair_reliability(pairs)[0] == pytest.approx(math.sqrt(0.5 * 15 / 16))
    assert pair_reliability(replace(pairs, length=None)).tolist() == [1.0]


def _pairs(length: Indices) -> Pairs:
    """Return one pair of articles that are not alike, of these lengths."""
    one = np.array([1])
    return Pairs(
        newer=one,
        older=one - 1,
        body=np.array([0.01]),
        lead=np.array([0.01]),
        vectors=np.eye(2, dtype=np.float32),
        length=length,
    )


def _weighed(length: Indices) -> tuple[float, float]:
    """Return what words and meaning say of one pair."""
    pairs = _pairs(length)
    found = WordEvidence().log_odds(pairs), MeaningEvidence().log_odds(pairs)
    return float(found[0][0]), float(found[1][0])


def test_a_pair_must_make_up_for_far_better_links_of_both_of_its_articles() -> None:
    usual, strong = np.array([USUAL_BEST]), np.array([USUAL_BEST + 5.0])

    assert contrast(usual, usual)[0] == pytest.approx(0.0)
    assert contrast(strong, strong)[0] == pytest.approx(-5.0 * CONTRAST)
    assert contrast(strong, usual)[0] == contrast(usual, strong)[0]
    assert contrast(-strong, -strong)[0] == pytest.approx(USUAL_BEST * CONTRAST)


def test_a_probability_is_one_half_at_even_odds_and_never_overflows() -> None:
    odds = np.array([-1e6, -1.0, 0.0, 1.0, 1e6])

    found = probability(odds)

    assert found[2] == 0.5
    assert found[1] + found[3] == pytest.approx(1.0)
    assert found[0] == pytest.approx(0.0)
    assert found[4] == pytest.approx(1.0)
