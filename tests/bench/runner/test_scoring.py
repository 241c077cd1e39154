"""The job that most tables share says what the parts it is made of say."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

import pytest
from tests.bench.runner import rigged_system

from ustory.core.settings import Settings
from ustory.scores.agreement import PROTOCOLS, bcubed
from ustory.testing.parts import TinyEncoder
from ustory_bench.experiments.trivial import APART, TOGETHER, trivial
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.runner.score import score_system
from ustory_bench.runner.scoring import (
    METRICS,
    objective,
    paper_minimum,
    score,
    trial,
    warm,
)
from ustory_bench.system import find_system

INPUTS = Inputs(
    stream=rigged_system.stream(),
    settings=Settings(mode="paper"),
    encoder=TinyEncoder(),
)


@pytest.fixture(scope="module")
def scored() -> Plain:
    warm(INPUTS, {"system": "ustory"})
    return score(INPUTS, system="ustory", seed=3)


def test_scores_are_those_of_the_comparison(scored: Plain) -> None:
    settings = Settings(mode="paper", seed=3)
    outcome = score_system(
        find_system("ustory"),
        INPUTS.stream,
        settings,
        TinyEncoder(),
        {"min_articles": scored["parameters"]["min_articles"]},
    )

    for protocol in PROTOCOLS:
        report = outcome.reports[protocol]
        assert scored["figures"][protocol] == pytest.approx(report.figures(), abs=1e-6)
        for metric in METRICS:
            assert scored["windows"][protocol][metric] == pytest.approx(
                [getattr(each, metric) for _, each in report.windowed.windows], abs=1e-6
            )
    settled = outcome.identity.settled.bcubed_f1
    assert scored["identity"]["settled_bcubed_f1"] == pytest.approx(settled, abs=1e-6)
    assert scored["slides"] == len(outcome.seconds)
    assert json.loads(json.dumps(scored)) == scored


def test_m_is_the_number_of_articles_in_a_story_in_a_day(scored: Plain) -> None:
    days = Counter(
        (one.article.label, one.article.published_at.date())
        for one in INPUTS.stream.articles
        if one.article.label is not None
    )
    mean = sum(days.values()) / len(days)

    assert paper_minimum(INPUTS.stream) == max(2, round(mean))
    assert scored["parameters"]["min_articles"] == paper_minimum(INPUTS.stream)
    asked = score(INPUTS, system="ustory", parameters={"min_articles": 5})
    assert asked["parameters"]["min_articles"] == 5
    assert "min_articles" not in score(INPUTS, system="ustory-auto")["parameters"]


def test_a_trial_is_the_objective_of_the_same_configuration() -> None:
    whole = score(INPUTS, system="constream", parameters={})

    value = trial(INPUTS, system="constream", parameters={})["value"]

    assert value == pytest.approx(objective(whole["figures"]["singleton"]), abs=1e-5)


def test_what_needs_no_method_scores_as_its_definition_says() -> None:
    truth = [story for story in INPUTS.stream.truth.values() if story is not None]
    labels = {
        APART: [str(n) for n in range(len(truth))],
        TOGETHER: ["all"] * len(truth),
    }

    for name, found in labels.items():
        result = trivial(INPUTS, name=name)

        for protocol in PROTOCOLS:
            whole = result["figures"][protocol]["whole_stream_bcubed_f1"]
            assert whole == pytest.approx(bcubed(truth, found)[2], abs=1e-6)
    windows = result["windows"]["singleton"]["bcubed_f1"]
    same = score(INPUTS, system="constream")["windows"]["singleton"]["bcubed_f1"]
    assert len(windows) == len(same)


def test_windows_of_the_floors_hold_what_windows_hold() -> None:
    settings = Settings(mode="paper", window=timedelta(days=2))
    inputs = Inputs(stream=INPUTS.stream, settings=settings, encoder=TinyEncoder())

    ours = trivial(inputs, name=APART)
    other = score(inputs, system="average-link")

    assert ours["slides"] == other["slides"]
    assert len(ours["windows"]["paper"]["ami"]) == len(other["windows"]["paper"]["ami"])
