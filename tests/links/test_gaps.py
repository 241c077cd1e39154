"""Time between articles: what it says is learned, and nothing before that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.likeness import Apart
from ustory.links.background import HALF_LIFE
from ustory.links.evidence.time import NODES, SURE, VAGUE, Gaps
from ustory.links.word_scan import Bands, count_gaps

COUNTS = st.lists(st.floats(0, 500), min_size=NODES, max_size=NODES)
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 12)), max_size=20)


def gaps(sure: list[float], vague: list[float]) -> Gaps:
    return Gaps(sure=np.array(sure), vague=np.array(vague))


def test_before_any_pair_time_says_nothing() -> None:
    assert not Gaps().log_odds(np.linspace(0, 9, 19)).any()


@given(COUNTS)
def test_where_both_fade_alike_time_says_nothing(counts: list[float]) -> None:
    found = gaps(counts, [3 * count for count in counts]).log_ratio

    assert found == pytest.approx(0.0, abs=1e-9)


@given(COUNTS, COUNTS)
def test_the_ratio_is_finite_and_that_of_its_formula(
    sure: list[float], vague: list[float]
) -> None:
    found = gaps(sure, vague).log_ratio

    assert np.isfinite(found).all()
    assert found.tolist() == pytest.approx(Apart(0.0, sure, vague).log_ratio())


@given(COUNTS, COUNTS, st.floats(0, 20))
def test_between_nodes_evidence_lies_on_a_line_and_ends_with_the_window(
    sure: list[float], vague: list[float], gap: float
) -> None:
    (found,) = gaps(sure, vague).log_odds(np.array([gap]))

    assert found == pytest.approx(Apart(0.0, sure, vague).evidence(gap))


def test_hours_apart_speaks_for_a_story_and_days_apart_against() -> None:
    few, many = [50.0, *7 * [0.0]], NODES * [20.0]

    found = gaps(few, many).log_ratio

    assert found[0] > 1
    assert (found[1:] < -1).all()


def test_few_pairs_say_less_than_many() -> None:
    few = gaps([5.0, *7 * [0.0]], NODES * [1.0]).log_ratio
    many = gaps([500.0, *7 * [0.0]], NODES * [100.0]).log_ratio

    assert 0 < few[0] < many[0]


def test_counts_fade_by_half() -> None:
    ones = np.ones(NODES)
    first = Gaps().after(4 * ones, 2 * ones, 10.0)

    later = first.after(ones, ones, 10.0 + HALF_LIFE)

    assert later.sure == pytest.approx(3.0)
    assert later.vague == pytest.approx(2.0)


@given(PAIRS)
def test_pairs_are_counted_at_the_two_nodes_beside_them(
    pairs: list[tuple[float, float]],
) -> None:
    cosine, apart = np.array(pairs, dtype=np.float64).reshape(-1, 2).T.copy()
    sure, vague, expected = np.zeros(NODES), np.zeros(NODES), Apart()

    count_gaps(cosine, apart, Bands(SURE, *VAGUE), sure, vague)

    for near, gap in pairs:
        expected.count(near, gap)
    assert sure.tolist() == pytest.approx(expected.sure)
    assert vague.tolist() == pytest.approx(expected.vague)
    assert sure.sum() == pytest.approx((cosine >= SURE).sum())
