"""Tests and intervals are those of the textbook, and honest at their edges."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from ustory.core.errors import ConfigError
from ustory.scores.significance import (
    Interval,
    Resampling,
    block_length,
    bootstrap_difference,
    bootstrap_interval,
    compare_reports,
    intervals,
    paired_t_test,
)
from ustory.scores.windows import AssignmentRow, Report, evaluate_assignments

DAY = timedelta(days=1)
START = datetime(2024, 3, 1, tzinfo=UTC)
FEW = Resampling(resamples=50)

a_score = st.floats(0, 1).map(lambda number: round(number, 6))


def run(days: int, seed: int, protocol: str = "singleton") -> Report:
    """Score articles put at random into one of three stories, two a day, for W = 3d."""
    generator = np.random.default_rng(seed)
    found = generator.integers(3, size=2 * days)
    truth = {f"a{n}": f"t{n % 5}" for n in range(2 * days)}
    rows = [
        AssignmentRow(START + (day + 1) * DAY, f"a{n}", f"s{found[n]}")
        for day in range(days)
        for n in range(max(2 * day - 4, 0), 2 * day + 2)
    ]
    return evaluate_assignments(truth, rows, 3 * DAY, DAY, protocol)


@given(st.lists(st.tuples(a_score, a_score), min_size=2, max_size=40))
def test_the_t_test_is_scipys_of_paired_samples(
    pairs: list[tuple[float, float]],
) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    differences = np.subtract(first, second)
    found = paired_t_test(first, second)

    assert found.windows == len(pairs)
    assert found.difference == pytest.approx(differences.mean())
    if np.ptp(differences) > 1e-9:
        expected = ttest_rel(first, second)
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.p_value == pytest.approx(expected.pvalue)


def test_a_hand_worked_t_test() -> None:
    # differences 1, 2, 3, so that t = 2 / (1/√3)
    found = paired_t_test([3, 3, 3], [2, 1, 0])

    assert found.difference == 2
    assert found.statistic == pytest.approx(2 * math.sqrt(3))
    # two-sided, with two degrees of freedom: 1 − t / √(2 + t²)
    assert found.p_value == pytest.approx(1 - math.sqrt(12 / 14))


def test_systems_that_never_differ_are_not_different() -> None:
    found = paired_t_test([0.2, 0.5, 0.9], [0.2, 0.5, 0.9])

    assert (found.difference, found.statistic, found.p_value) == (0, 0, 1)


@pytest.mark.parametrize("more", [0.1, -0.1])
def test_a_difference_without_variance_is_certain(more: float) -> None:
    found = paired_t_test([0.2 + more, 0.5 + more, 0.7 + more], [0.2, 0.5, 0.7])

    assert found.statistic == math.copysign(math.inf, more)
    assert found.p_value == 0


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([0.5], [0.4], "at least two windows; got 1"),
        ([], [], "at least two windows; got 0"),
        ([0.5, 0.4], [0.5], "got 2 and 1 scores"),
        ([0.5, math.nan], [0.5, 0.4], "not finite"),
    ],
)
def test_what_cannot_be_tested_is_refused(
    first: list[float], second: list[float], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        paired_t_test(first, second)


def resampled_by_hand(scores: Sequence[float], block: int, how: Resampling) -> Interval:
    """Draw blocks round the circle, window by window."""
    count = len(scores)
    blocks = math.ceil(count / block)
    starts = np.random.default_rng(how.seed).integers(
        count, size=(how.resamples, blocks)
    )
    means = []
    for each in starts.tolist():
        drawn = [scores[(start + n) % count] for start in each for n in range(block)]
        means.append(sum(drawn[:count]) / count)
    tail = (1 - how.confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(low=float(low), high=float(high))


@given(st.data(), st.integers(1, 5), st.integers(0, 99), st.sampled_from([0.5, 0.95]))
def test_intervals_are_those_of_blocks_drawn_by_hand(
    data: st.DataObject, block: int, seed: int, confidence: float
) -> None:
    scores = data.draw(st.lists(a_score, min_size=2 * block, max_size=20))
    how = Resampling(resamples=40, confidence=confidence, seed=seed)

    found, expected = (
        draw(scores, block, how) for draw in (bootstrap_interval, resampled_by_hand)
    )

    assert found.low == pytest.approx(expected.low, abs=1e-12)
    assert found.high == pytest.approx(expected.high, abs=1e-12)


@given(st.lists(st.tuples(a_score, a_score), min_size=6, max_size=20))
def test_the_interval_of_a_difference_is_paired(
    pairs: list[tuple[float, float]],
) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]

    found = bootstrap_difference(first, second, 3, FEW)
    turned = bootstrap_difference(second, first, 3, FEW)
    shifted = bootstrap_difference([a + 1 for a in first], first, 3, FEW)

    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low))
    assert (shifted.low, shifted.high) == pytest.approx((1, 1))


def test_blocks_keep_apart_what_single_windows_would_mix() -> None:
    # Good and bad weeks: by single windows, their mean looks far too certain.
    scores = ([1.0] * 7 + [0.0] * 7) * 10

    single, weekly = (bootstrap_interval(scores, block) for block in (1, 7))

    assert weekly.high - weekly.low > 1.5 * (single.high - single.low)
    assert weekly.low < 0.5 < weekly.high


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(3)
    streams = generator.random((200, 60))

    found = [bootstrap_interval(scores.tolist(), 1) for scores in streams]

    assert 180 <= sum(each.low <= 0.5 <= each.high for each in found) <= 198


def test_the_seed_decides() -> None:
    scores = np.random.default_rng(1).random(30).tolist()

    one, same, other = (
        bootstrap_interval(scores, 3, Resampling(seed=seed)) for seed in (1, 1, 2)
    )

    assert one == same != other


@pytest.mark.parametrize(
    ("scores", "block", "said"),
    [
        ([0.5] * 13, 7, "two blocks of 7 windows; got 13 windows"),
        ([], 1, "got 0 windows"),
        ([0.5], 0, "at least 1 window, got 0"),
        ([0.5, math.inf], 1, "not finite"),
    ],
)
def test_what_has_no_interval_is_refused(
    scores: list[float], block: int, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        bootstrap_interval(scores, block)


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"resamples": 0}, "at least 1, got 0"), ({"confidence": 95}, "between 0 and 1")],
)
def test_a_resampling_that_cannot_be_is_refused(
    changes: dict[str, int], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        Resampling(**changes)


def test_a_block_is_as_long_as_a_window() -> None:
    assert block_length(7 * DAY, DAY) == 7
    assert block_length(7 * DAY, 2 * DAY) == 4
    assert block_length(DAY, DAY) == 1


def test_every_metric_of_a_report_has_an_interval_around_its_mean() -> None:
    report = run(30, seed=0)

    found = intervals(report)

    assert found is not None
    for name, each in found.items():
        assert each.low < getattr(report.windowed.mean, name) < each.high


def test_a_stream_of_less_than_two_blocks_has_no_intervals() -> None:
    # W = 3d: windows are scored from the fourth day on, and six make two blocks.
    assert intervals(run(8, seed=0)) is None
    assert intervals(run(9, seed=0)) is not None


def test_two_runs_are_compared_over_the_same_windows() -> None:
    first, second = run(30, seed=0), run(30, seed=1)

    found = compare_reports(first, second, "ami")
    same = compare_reports(first, first, "ami")

    gap = first.windowed.mean.ami - second.windowed.mean.ami
    assert found.test.difference == pytest.approx(gap)
    assert found.interval is not None
    assert found.interval.low < gap < found.interval.high
    assert (same.test.p_value, same.interval) == (1, Interval(low=0, high=0))


def test_short_runs_are_compared_without_an_interval() -> None:
    assert compare_reports(run(6, seed=0), run(6, seed=1), "ari").interval is None


@pytest.mark.parametrize(
    ("other", "metric", "said"),
    [
        (run(30, seed=0), "f1", "no metric named 'f1'; try one of: bcubed_precision"),
        (run(30, seed=0, protocol="paper"), "ami", "got singleton and paper"),
        (run(29, seed=0), "ami", "got 27 and 26 that are not the same"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(
    other: Report, metric: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        compare_reports(run(30, seed=0), other, metric)
