"""A plan refuses what cannot be, in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ustory.core.errors import ConfigError
from ustory_bench.simulate import SimulationPlan


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"articles": 0}, "articles must be from 1 to 100,000,000, got 0"),
        ({"articles": 1.5}, "articles must be a whole number, got 1.5"),
        ({"articles": True}, "articles must be a whole number, got True"),
        ({"stories": -1}, "stories must be from 0 to 100,000,000, got -1"),
        ({"stories": "many"}, "stories must be a whole number, got 'many'"),
        ({"articles": 10, "noise": 0, "stories": 6}, "every story needs 2 articles; 6"),
        ({"days": 0}, "days must be from 1 to 36,500, got 0"),
        ({"sentences": 0}, "sentences must be from 1 to 1,000, got 0"),
        ({"sentences": 1_001}, "sentences must be from 1 to 1,000, got 1,001"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"seed": 2**64}, "seed must be from 0 to"),
        ({"noise": 1.1}, "noise is a share and must be from 0 to 1, got 1.1"),
        ({"drift": -0.1}, "drift is a share and must be from 0 to 1, got -0.1"),
        ({"copies": float("nan")}, "copies is a share and must be from 0 to 1"),
        ({"twins": "half"}, "twins must be a number, got 'half'"),
        ({"start": datetime(2024, 1, 1)}, "start must be a date and time with a zone"),  # noqa: DTZ001
        ({"start": "2024-01-01"}, "start must be a date and time with a zone"),
        (
            {"start": datetime(9999, 12, 1, tzinfo=UTC), "days": 40},
            "the stream must end before the year 10000",
        ),
    ],
)
def test_a_bad_field_is_refused_with_its_name_and_the_rule(
    changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        SimulationPlan(**changes)

    assert reason in str(refused.value)


def test_stories_are_in_proportion_unless_they_are_given() -> None:
    assert SimulationPlan(articles=1_000, noise=0.3).story_count == 100
    assert SimulationPlan(articles=1_000, stories=12).story_count == 12


@pytest.mark.parametrize("changes", [{"stories": 0}, {"noise": 1.0}])
def test_without_stories_all_articles_are_noise(changes: dict[str, Any]) -> None:
    plan = SimulationPlan(articles=10, **changes)

    assert (plan.story_count, plan.noise_count) == (0, 10)
