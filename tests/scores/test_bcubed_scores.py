"""B-cubed at its corners."""

import pytest

from ustory.core.errors import ConfigError
from ustory.scores.agreement import bcubed


def test_the_same_groups_score_one_whatever_their_names() -> None:
    assert bcubed(["x", "y", "x"], [2, 1, 2]) == (1.0, 1.0, 1.0)


def test_one_heap_is_complete_but_not_pure() -> None:
    score = bcubed(["a", "b", "c", "d"], [0, 0, 0, 0])

    assert (score.precision, score.recall) == (0.25, 1.0)
    assert score.f1 == pytest.approx(0.4)


def test_singletons_are_pure_but_not_complete() -> None:
    score = bcubed([0, 0, 0, 0], ["a", "b", "c", "d"])

    assert (score.precision, score.recall) == (1.0, 0.25)


def test_nothing_cannot_be_scored() -> None:
    with pytest.raises(ConfigError, match="nothing to score"):
        bcubed([], [])
