"""A floor that gives way is named, with by how much."""

import math

import pytest

from ustory.core.errors import ConfigError
from ustory.scores.windows import check_floors


def test_scores_on_or_over_their_floors_are_silent() -> None:
    assert check_floors({"ami": 0.9, "ari": 0.8}, {"ami": 0.9, "ari": 0.5}) == []


def test_each_score_under_its_floor_gets_a_sentence() -> None:
    fallen = check_floors(
        {"ami": 0.9, "ari": 0.7, "f1": 0.6}, {"ari": 0.8, "ami": 0.8, "f1": 0.61}
    )

    assert fallen == [
        "ari is 0.7000, under its floor of 0.8000 (short by 0.1).",
        "f1 is 0.6000, under its floor of 0.6100 (short by 0.01).",
    ]


def test_a_score_that_is_not_a_number_holds_no_floor() -> None:
    assert len(check_floors({"ari": math.nan}, {"ari": 0.0})) == 1


def test_a_floor_for_something_not_scored_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'arl'.*scored are: ami, ari"):
        check_floors({"ari": 1.0, "ami": 1.0}, {"arl": 0.5})


@pytest.mark.parametrize("floor", [math.nan, math.inf, True, "0.5"])
def test_a_floor_must_be_a_number(floor: float) -> None:
    with pytest.raises(ConfigError, match="floor of ari must be a number"):
        check_floors({"ari": 1.0}, {"ari": floor})
