"""The two scoring functions of Eq. 1, by hand and in what they must keep to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.paper.themes.scoring import Context, Scoring, bm25l, tfidf

ONE = np.array([1])


def test_tfidf_has_its_one_inside_the_logarithm() -> None:
    context = Context(3, np.array([4.0]), [2], 4.0)

    weights = tfidf(np.array([2.0, 0.5]), np.array([1, 3]), context)

    # 2 · log(4/2 + 1) and 0.5 · log(4/4 + 1)
    assert weights == pytest.approx([2 * math.log(3), 0.5 * math.log(2)])


def test_bm25l_by_hand() -> None:
    # two corpora of length 4 and 2, mean 3; their entries one after the other
    context = Context(2, np.array([4.0, 2.0]), [2, 1], 3.0)

    weights = bm25l(np.array([3.0, 1.0, 2.0]), np.array([1, 2, 2]), context)

    # 1 − b + b·L/mean: 0.25 + 0.75·4/3 = 1.25 and 0.25 + 0.75·2/3 = 0.75
    # c = 3/1.25 = 2.4;   2.2·2.9/(1.2 + 2.9) · log(3/1.5)
    # c = 1/1.25 = 0.8;   2.2·1.3/(1.2 + 1.3) · log(3/2.5)
    # c = 2/0.75 = 2.667; 2.2·3.167/(1.2 + 3.167) · log(3/2.5)
    assert weights == pytest.approx([1.078604, 0.208576, 0.290879], abs=1e-5)


def test_bm25l_without_any_length_is_still_a_number() -> None:
    context = Context(1, np.array([0.0]), [1], 0.0)

    assert np.isfinite(bm25l(np.array([0.0]), ONE, context)).all()


frequencies = st.floats(0.01, 100.0)


@pytest.mark.parametrize("score", [tfidf, bm25l])
@given(frequencies, frequencies, st.integers(1, 50), st.integers(1, 50))
def test_scores_grow_with_frequency_and_fall_with_commonness(
    score: Scoring, tf: float, more: float, df: int, others: int
) -> None:
    context = Context(df + others, np.array([10.0]), [1], 12.0)

    def weight(frequency: float, documents: int) -> float:
        return float(score(np.array([frequency]), np.array([documents]), context)[0])

    assert weight(tf, df) > 0
    assert weight(tf + more, df) > weight(tf, df)
    assert weight(tf, df + others) < weight(tf, df)
