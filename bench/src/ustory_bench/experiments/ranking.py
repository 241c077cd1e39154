"""How systems stand to each other: means, intervals, marks and improvements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from ustory.scores.significance import (
    bootstrap_difference,
    bootstrap_interval,
    paired_t_test,
)
from ustory_bench.experiments.table_rows import Ended, Line
from ustory_bench.runner.jobs import Plain
from ustory_bench.runner.scoring import METRICS, PARTS

SIGNIFICANT = 0.05

_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The scores of a line on a stream under a protocol, seeds averaged."""

    line: Line
    means: dict[tuple[str, str], float]
    """By part and metric."""
    spreads: dict[tuple[str, str], float]
    """Standard deviation over seeds; empty for one seed."""
    windows: dict[str, Sequence[float]]
    """Of each window, by metric."""

    def interval(self, metric: str, block: int) -> list[float] | None:
        """Return the 95 % interval of a mean over windows; None if they are few."""
        scores = self.windows[metric]
        if len(scores) < 2 * block:
            return None
        found = bootstrap_interval(scores, block)
        return [round(found.low, _DIGITS), round(found.high, _DIGITS)]


def standing(each: Ended, protocol: str) -> Standing:
    """Return the scores of a line that has a result for every seed."""
    results = [cell.result for cell in each.cells]
    runs = {
        (part, metric): [r["figures"][protocol][f"{part}_{metric}"] for r in results]
        for part in PARTS
        for metric in METRICS
    }
    windows = {
        metric: [r["windows"][protocol][metric] for r in results] for metric in METRICS
    }
    return Standing(
        line=each.line,
        means={key: round(fmean(values), _DIGITS) for key, values in runs.items()},
        spreads={
            key: round(pstdev(values), _DIGITS)
            for key, values in runs.items()
            if len(values) > 1
        },
        windows={
            metric: [fmean(scores) for scores in zip(*runs_, strict=True)]
            for metric, runs_ in windows.items()
        },
    )


def better_than_all(ours: Standing, others: Sequence[Standing], metric: str) -> bool:
    """Return whether the mean over windows is higher than every other's, p < 0.05.

    The paper's `*`: "statistically significant improvement over the compared
    algorithms" in a t-test, here paired over windows.
    """
    mine = ours.windows[metric]
    if len(mine) < 2 or not others:
        return False
    tests = [paired_t_test(mine, other.windows[metric]) for other in others]
    return all(t.difference > 0 and t.p_value < SIGNIFICANT for t in tests)


def improvement(
    ours: Standing, others: Sequence[Standing], part: str, metric: str
) -> float | None:
    """Return how much higher a score is, as a mean of ratios: the paper's △ and ▲.

    0.44 is 44 % higher. Scores of 0 or less have no ratio and are left out; None
    where nothing is left.
    """
    scores = [other.means[part, metric] for other in others]
    ratios = [ours.means[part, metric] / each for each in scores if each > 0]
    return round(fmean(ratios) - 1, _DIGITS) if ratios else None


def lead(ours: Standing, others: Sequence[Standing], block: int) -> Plain:
    """Return the difference to the best of the others in B3-F1 over windows."""
    metric, part = METRICS[0], PARTS[0]
    if not others:
        return None
    best = max(others, key=lambda other: other.means[part, metric])
    mine, its = ours.windows[metric], best.windows[metric]
    found: dict[str, Plain] = {
        "rival": best.line.system,
        "difference": round(fmean(mine) - fmean(its), _DIGITS),
        "interval": None,
        "p": None,
    }
    if len(mine) >= 2:
        found["p"] = round(paired_t_test(mine, its).p_value, _DIGITS)
    if len(mine) >= 2 * block:
        drawn = bootstrap_difference(mine, its, block)
        found["interval"] = [round(drawn.low, _DIGITS), round(drawn.high, _DIGITS)]
    return found
