"""Marks and improvements are those of the paper's Table 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from ustory_bench.experiments.kinds import OURS, WORDS
from ustory_bench.experiments.ranking import (
    Standing,
    better_than_all,
    improvement,
    lead,
    standing,
)
from ustory_bench.experiments.table_rows import Ended, Line
from ustory_bench.runner.jobs import OK, Cell, Job
from ustory_bench.runner.scoring import METRICS, PARTS

LINE = Line(system="ours", encoder="tiny", kind=OURS)


def stand(score: float, windows: list[float] | None = None) -> Standing:
    return Standing(
        line=Line(system=f"s{score}", encoder="tiny", kind=WORDS),
        means={(part, metric): score for part in PARTS for metric in METRICS},
        spreads={},
        windows=dict.fromkeys(METRICS, windows or []),
    )


@pytest.mark.parametrize(
    ("ours", "others", "percent"),
    [
        # Newsfeed, USTORY-SenT5: B3-F1 and AMI over baselines, then over variants
        (0.751, [0.314, 0.481, 0.696, 0.706, 0.669], 44.4),
        (0.763, [0.128, 0.309, 0.725, 0.726, 0.602], 136.0),
        (0.751, [0.732, 0.684], 6.2),
        # WCEP19, USTORY-SenRB: ARI over baselines
        (0.765, [0.292, 0.141, 0.596, 0.574, 0.487], 144.6),
    ],
)
def test_improvements_are_the_papers(
    ours: float, others: list[float], percent: float
) -> None:
    found = improvement(stand(ours), [stand(each) for each in others], *_PLACE)

    assert found is not None
    assert 100 * found == pytest.approx(percent, abs=0.35)  # its scores are rounded


_PLACE = (PARTS[0], METRICS[0])


def test_scores_of_nothing_have_no_ratio() -> None:
    assert improvement(stand(0.5), [stand(0.0), stand(-0.1)], *_PLACE) is None
    assert improvement(stand(0.5), [stand(0.0), stand(0.25)], *_PLACE) == 1.0


@given(
    st.integers(0, 2**32 - 1), st.integers(3, 40), st.floats(-0.1, 0.1, allow_nan=False)
)
def test_the_star_says_better_than_each_in_the_paired_t_test(
    seed: int, windows: int, gap: float
) -> None:
    random = np.random.default_rng(seed)
    base = random.random(windows)
    mine = (base + gap + 0.1 * random.random(windows)).tolist()
    others = [
        (base + 0.1 * random.random(windows)).tolist(),
        (base - 0.2 + 0.1 * random.random(windows)).tolist(),
    ]

    found = better_than_all(
        stand(0, mine), [stand(n, each) for n, each in enumerate(others)], METRICS[0]
    )

    assert found == all(
        np.mean(mine) > np.mean(each) and ttest_rel(mine, each).pvalue < 0.05
        for each in others
    )


def test_no_star_without_others_or_with_one_window() -> None:
    assert not better_than_all(stand(0, [1.0, 0.9]), [], METRICS[0])
    assert not better_than_all(stand(0, [1.0]), [stand(1, [0.0])], METRICS[0])


def test_the_lead_is_over_the_best_of_the_others() -> None:
    ours, good, bad = (
        stand(0.5, [0.4, 0.6]),
        stand(0.7, [0.6, 0.8]),
        stand(0.1, [0.1, 0.1]),
    )

    found = lead(ours, [bad, good], block=1)

    assert found["rival"] == "s0.7"
    assert found["difference"] == -0.2
    assert found["interval"] == [-0.2, -0.2]
    assert found["p"] == 0.0
    assert lead(ours, [], block=1) is None


def test_seeds_are_averaged_window_by_window() -> None:
    def cell(score: float, windows: list[float]) -> Cell:
        figures = {f"{part}_{metric}": score for part in PARTS for metric in METRICS}
        result = {
            "figures": {"paper": figures},
            "windows": {"paper": dict.fromkeys(METRICS, windows)},
        }
        job = Job(system="ours", stream="s", encoder="tiny", task="t")
        return Cell(job=job, status=OK, result=result)

    cells = [cell(0.2, [0.1, 0.3]), cell(0.4, [0.3, 0.5])]

    found = standing(Ended(line=LINE, stream="s", cells=cells), "paper")

    assert found.means[_PLACE] == 0.3
    assert found.spreads[_PLACE] == pytest.approx(0.1)
    assert found.windows[METRICS[0]] == pytest.approx([0.2, 0.4])
    assert found.interval(METRICS[0], block=2) is None
    assert found.interval(METRICS[0], block=1) is not None
