"""Time between articles: what it says is learned, and nothing before that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.likeness import Apart
from ustory.links.background import HALF_LIFE
from ustory.links.evidence.time import MOST, NODES, Gaps, gap_counts

COUNTS = st.lists(st.floats(0, 500), min_size=NODES, max_size=NODES)
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 12)), max_size=20)


def gaps(same: list[float], other: list[float]) -> Gaps:
    return Gaps(same=np.array(same), other=np.array(other))


def test_before_any_pair_time_says_nothing() -> None:
    assert not Gaps().log_odds(np.linspace(0, 9, 19)).any()


@given(COUNTS)
def test_where_both_fade_alike_time_says_nothing(counts: list[float]) -> None:
    found = gaps(counts, [3 * count for count in counts]).log_ratio

    assert found == pytest.approx(0.0, abs=1e-9)


@given(COUNTS, COUNTS)
def test_the_ratio_is_finite_and_that_of_its_formula(
    same: list[float], other: list[float]
) -> None:
    found = gaps(same, other).log_ratio

    assert np.isfinite(found).all()
    assert found.tolist() == pytest.approx(Apart(0.0, same, other).log_ratio())


@given(COUNTS, COUNTS, st.floats(0, 20))
def test_between_nodes_evidence_lies_on_a_line_and_ends_with_the_window(
    same: list[float], other: list[float], gap: float
) -> None:
    (found,) = gaps(same, other).log_odds(np.array([gap]))

    assert found == pytest.approx(Apart(0.0, same, other).evidence(gap))


def test_hours_apart_speaks_for_a_story_and_days_apart_against() -> None:
    few, many = [50.0, *(NODES - 1) * [0.0]], NODES * [20.0]

    found = gaps(few, many).log_ratio

    assert found[0] > 1
    assert (found[1:] < -1).all()


def test_few_pairs_say_less_than_many() -> None:
    few = gaps([5.0, *(NODES - 1) * [0.0]], NODES * [1.0]).log_ratio
    many = gaps([500.0, *(NODES - 1) * [0.0]], NODES * [100.0]).log_ratio

    assert 0 < few[0] < many[0]


def test_counts_fade_by_half() -> None:
    ones = np.ones(NODES)
    first = Gaps().after(4 * ones, 2 * ones, 10.0)

    later = first.after(ones, ones, 10.0 + HALF_LIFE)

    assert later.same == pytest.approx(3.0)
    assert later.other == pytest.approx(2.0)


@given(PAIRS)
def test_pairs_are_counted_at_the_two_nodes_beside_them(
    pairs: list[tuple[float, float]],
) -> None:
    likely, apart = np.array(pairs, dtype=np.float64).reshape(-1, 2).T.copy()
    expected = Apart()

    same, other = gap_counts(apart, likely), gap_counts(apart, 1 - likely)

    for each, gap in pairs:
        expected.count(each, gap)
    assert same.tolist() == pytest.approx(expected.same)
    assert other.tolist() == pytest.approx(expected.other)
    assert same.sum() == pytest.approx(likely.sum())


def test_minutes_apart_may_say_more_than_hours_apart() -> None:
    same, other = np.zeros(NODES), np.full(NODES, 50.0)
    same[0] = 500.0

    found = Gaps(same=same, other=other)

    assert found.log_odds(np.array([0.0, 0.2])).tolist() == [MOST, -MOST]
