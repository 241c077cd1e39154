"""How far a mean over windows, or the difference of two means, can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.errors import ConfigError
from ustory.scores.agreement import METRICS
from ustory.scores.windows import Report

_ROUNDING = 1e-12
"""Differences that vary by less are equal: rounding is no variance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How intervals are drawn; the same seed gives the same interval."""

    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what gives no interval."""
        if self.resamples < 1:
            raise ConfigError(f"resamples must be at least 1, got {self.resamples}")
        if not 0 < self.confidence < 1:
            raise ConfigError(
                f"confidence must be between 0 and 1, like 0.95; got {self.confidence}"
            )


_USUAL = Resampling()


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The range of a mean over windows if the stream were drawn again."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """A paired t-test of two systems over the same windows."""

    windows: int
    difference: float
    """Mean of the first minus mean of the second."""
    statistic: float
    p_value: float
    """Two-sided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two systems on the same windows, in one metric."""

    test: PairedTest
    interval: Interval | None
    """Interval of the difference; None if there are too few windows."""


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> PairedTest:
    """Return the paired t-test over windows, as the paper's Table 2 has it.

    It treats windows as independent, which overlapping ones are not: trust the
    interval of the difference rather than a small p. Differences that are the same
    in all windows have no variance: p is 1 if they are 0, and 0 otherwise.
    """
    differences = _differences(first, second)
    if differences.size < 2:
        raise ConfigError(
            "a t-test needs at least two windows; got "
            f"{differences.size}: score a longer stream"
        )
    mean = float(differences.mean())
    statistic, p_value = _t_of(differences)
    return PairedTest(
        windows=differences.size, difference=mean, statistic=statistic, p_value=p_value
    )


def bootstrap_interval(
    scores: Sequence[float], block: int, how: Resampling = _USUAL
) -> Interval:
    """Return the percentile interval of the scores' mean, by blocks of windows.

    Blocks of `block` windows in a row are drawn with replacement, starting anywhere
    and going round from the last window to the first, so that all windows are as
    likely (circular block bootstrap, Politis & Romano 1992). Overlapping windows
    stay together in a block.
    """
    values = _numbers(scores)
    if block < 1:
        raise ConfigError(f"a block must be of at least 1 window, got {block}")
    if values.size < 2 * block:
        raise ConfigError(
            f"an interval needs at least two blocks of {block} windows; got "
            f"{values.size} windows: score a longer stream"
        )
    means = _resampled_means(values, block, how)
    tail = (1 - how.confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail]).tolist()
    return Interval(low=low, high=high)


def bootstrap_difference(
    first: Sequence[float],
    second: Sequence[float],
    block: int,
    how: Resampling = _USUAL,
) -> Interval:
    """Return the interval of mean(first) − mean(second) over the same windows."""
    return bootstrap_interval(_differences(first, second).tolist(), block, how)


def block_length(window: timedelta, slide: timedelta) -> int:
    """Return how many windows make a block as long as a window: W / S, rounded up.

    >>> block_length(timedelta(days=7), timedelta(days=1))
    7
    """
    return -(-window // slide)


def intervals(report: Report, how: Resampling = _USUAL) -> dict[str, Interval] | None:
    """Return the interval of each metric's mean over windows, by blocks of W.

    None if the stream is shorter than two blocks.
    """
    block = block_length(report.window, report.slide)
    if len(report.windowed.windows) < 2 * block:
        return None
    return {
        name: bootstrap_interval(_scores(report, name), block, how) for name in METRICS
    }


def compare_reports(
    first: Report, second: Report, metric: str, how: Resampling = _USUAL
) -> Comparison:
    """Return how two runs on one stream differ in a metric, over the same windows."""
    if metric not in METRICS:
        raise ConfigError(
            f"no metric named {metric!r}; try one of: {', '.join(METRICS)}"
        )
    for what in ("protocol", "window", "slide"):
        one, other = getattr(first, what), getattr(second, what)
        if one != other:
            raise ConfigError(
                f"runs are compared under the same {what}; got {one} and {other}"
            )
    ends = [[end for end, _ in each.windowed.windows] for each in (first, second)]
    if ends[0] != ends[1]:
        raise ConfigError(
            "runs are compared over the same windows; got "
            f"{len(ends[0])} and {len(ends[1])} that are not the same: score both on "
            "the same stream"
        )
    one, other = _scores(first, metric), _scores(second, metric)
    block = block_length(first.window, first.slide)
    enough = len(one) >= 2 * block
    return Comparison(
        test=paired_t_test(one, other),
        interval=bootstrap_difference(one, other, block, how) if enough else None,
    )


def _scores(report: Report, metric: str) -> list[float]:
    return [getattr(each, metric) for _, each in report.windowed.windows]


def _t_of(differences: Vector) -> tuple[float, float]:
    mean = float(differences.mean())
    if float(np.ptp(differences)) <= _ROUNDING:
        same = abs(mean) <= _ROUNDING
        return (0.0, 1.0) if same else (math.copysign(math.inf, mean), 0.0)
    from scipy.stats import ttest_1samp  # noqa: PLC0415 - heavy

    # a paired test is the one-sample test of the differences
    result = ttest_1samp(differences, 0.0)
    return float(result.statistic), float(result.pvalue)


def _resampled_means(values: Vector, block: int, how: Resampling) -> Vector:
    """Return the mean of each resample, from cumulative sums."""
    blocks = -(-values.size // block)
    rest = values.size - (blocks - 1) * block
    sums = np.concatenate([[0.0], np.cumsum(np.append(values, values[:block]))])
    starts = np.random.default_rng(how.seed).integers(
        values.size, size=(how.resamples, blocks)
    )
    whole, cut = starts[:, :-1], starts[:, -1]
    totals = (sums[whole + block] - sums[whole]).sum(axis=1)
    totals += sums[cut + rest] - sums[cut]
    means: Vector = totals / values.size
    return means


def _differences(first: Sequence[float], second: Sequence[float]) -> Vector:
    if len(first) != len(second):
        raise ConfigError(
            "systems are compared over the same windows; got "
            f"{len(first)} and {len(second)} scores"
        )
    differences: Vector = _numbers(first) - _numbers(second)
    return differences


def _numbers(scores: Sequence[float]) -> Vector:
    values: Vector = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ConfigError("scores must be numbers; got one that is not finite")
    return values
