"""Simulated streams resemble news, as the page on them says."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from ustory_bench.describe.facts import facts_of
from ustory_bench.describe.texts import Facts
from ustory_bench.quality.streams import parts
from ustory_bench.runner.streams import articles_digest, prepare_stream
from ustory_bench.simulate import SimulationPlan, simulate
from ustory_bench.simulate.facts import PLAN, REAL, RESULTS

MEASURED = json.loads(RESULTS.read_text(encoding="utf-8"))
TRIAL = SimulationPlan(articles=500, days=20)

NEAR = 1.35
"""How far outside the real streams a small simulated one may be: seeds differ."""

RESEMBLES = (
    "body_within_10", "body_within_50", "body_within_90", "body_outside_50",
    "body_outside_90", "lead_within_10", "lead_within_50", "lead_within_90",
    "lead_outside_50", "lead_outside_90", "meaning_within_50", "meaning_within_90",
    "meaning_outside_50", "meaning_outside_90", "rare_pair", "rare_story",
    "rare_outside", "quoted", "size_50", "size_90", "days_90", "sentences_50",
    "sentences_90", "words_50", "words_90", "new_words", "different", "once", "copies",
)  # fmt: skip


@pytest.fixture(scope="module", params=[3, 4, 5])
def facts(request: pytest.FixtureRequest) -> Facts:
    plan = replace(TRIAL, seed=request.param)
    stream = prepare_stream("trial", simulate(plan), *parts())
    return facts_of(stream.articles, timedelta(days=7))


@pytest.mark.parametrize("name", RESEMBLES)
def test_facts_are_near_those_of_real_streams(facts: Facts, name: str) -> None:
    real = [MEASURED["streams"][each]["facts"][name] for each in REAL]
    found = facts[name]

    assert found is not None
    assert min(real) / NEAR <= found <= max(real) * NEAR


def test_stories_are_told_apart_by_their_words(facts: Facts) -> None:
    assert facts["body_within_50"] is not None
    assert facts["body_outside_50"] is not None
    assert facts["body_within_50"] > 2 * facts["body_outside_50"]
    assert facts["confused"] is not None
    assert facts["confused"] < 0.05


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_was_measured_is_what_is_simulated_now(seed: int) -> None:
    digest = articles_digest(simulate(replace(PLAN, seed=seed)))

    assert MEASURED["simulated"][str(seed)]["sha256"] == digest


def test_most_facts_are_within_the_range_of_real_streams() -> None:
    simulated = [each["facts"] for each in MEASURED["simulated"].values()]
    inside = []
    for name in RESEMBLES:
        real = [MEASURED["streams"][each]["facts"][name] for each in REAL]
        mean = sum(each[name] for each in simulated) / len(simulated)
        inside.append(min(real) <= mean <= max(real))

    assert sum(inside) >= len(RESEMBLES) - 4
