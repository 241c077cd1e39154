"""Probabilities are held against labels as the page on probabilities says."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ustory.core.arrays import Vector
from ustory.core.story import LinkDecision
from ustory.engine.online import Engine
from ustory.links.groups import LINK
from ustory_bench.quality import reliability
from ustory_bench.quality.calibration import (
    ABOUT,
    by_column,
    calibration_error,
    curve,
    fitted,
)
from ustory_bench.quality.readings import Readings, StreamReadings, read_run
from ustory_bench.quality.reliability import KINDS, RESULTS
from ustory_bench.quality.reliability_figures import ENOUGH, figures
from ustory_bench.quality.streams import (
    LABELLED,
    SETTINGS,
    load_labelled,
    parts,
    place_of,
    settings_of,
)
from ustory_bench.runner.follow import prepared_slides

READ = json.loads(RESULTS.read_text(encoding="utf-8"))


def readings(said: list[float], right: list[bool]) -> Readings:
    count = len(said)
    return Readings(
        probability=np.array(said),
        right=np.array(right, dtype=bool),
        size=np.arange(2, 2 + count),
        length=np.full(count, 100),
        united=np.ones(count, dtype=bool),
    )


@cache
def simulated() -> StreamReadings:
    return read_run(load_labelled("simulated"), SETTINGS)


def test_the_error_is_the_distance_of_share_and_mean_weighed_by_bins() -> None:
    found = readings([0.9, 0.9, 0.86, 0.25, 1.0], [True, True, False, False, True])

    told = curve(found)

    rows = {row["from"]: (row["count"], row["right"]) for row in told["bins"]}
    assert rows == {0.85: (3, 0.6667), 0.2: (1, 0.0), 0.95: (1, 1.0)}
    assert told["about_90"]["mean"] == pytest.approx(0.8867, abs=1e-4)
    assert told["error"] == pytest.approx((3 * 0.22 + 0.25 + 0) / 5, abs=1e-3)
    assert calibration_error(found.only(found.probability > 2)) is None


def test_what_is_no_link_is_in_the_curve_and_not_in_the_error() -> None:
    found = readings([0.1, 0.1, 0.9], [True, True, True])

    told = curve(found, LINK)

    assert (told["count"], told["counted"]) == (3, 1)
    assert told["error"] == pytest.approx(0.1)
    assert [row["count"] for row in told["bins"]] == [2, 1]


def test_rows_by_size_hold_every_reading_once() -> None:
    found = readings([0.5] * 30, [True] * 30)

    rows = by_column(found, "size", (2, 3, 5, 10, 20))

    assert [(row["from"], row["to"], row["count"]) for row in rows] == [
        (2, 2, 1),
        (3, 4, 2),
        (5, 9, 5),
        (10, 19, 10),
        (20, None, 12),
    ]


@pytest.mark.parametrize(("offset", "slope"), [(0.0, 1.0), (1.0, 0.5), (-0.7, 1.4)])
def test_the_fitted_line_is_the_one_that_outcomes_were_drawn_by(
    offset: float, slope: float
) -> None:
    random = np.random.default_rng(0)
    odds: Vector = random.normal(0, 1.5, 40_000)
    right = random.random(len(odds)) < 1 / (1 + np.exp(-offset - slope * odds))
    said = 1 / (1 + np.exp(-odds))
    part = replace(
        readings([0.5] * len(odds), [True] * len(odds)), probability=said, right=right
    )

    found = fitted([part])

    assert found["offset"] == pytest.approx(offset, abs=0.06)
    assert found["slope"] == pytest.approx(slope, abs=0.06)


def test_a_stream_counts_alike_however_many_readings_it_has() -> None:
    good = readings([0.5] * 10, [True] * 10)
    bad = readings([0.5] * 1000, [False] * 1000)

    assert fitted([good, bad])["offset"] == pytest.approx(0.0, abs=0.01)


def test_readings_of_a_small_stream_are_what_the_engine_said() -> None:
    stream, found = load_labelled("simulated"), simulated()
    engine, state = Engine(SETTINGS, parts()[1]), None
    first: dict[str, float] = {}
    for slide in prepared_slides(stream.articles, SETTINGS):
        state, _ = engine.advance(state or engine.begin(), slide)
        for name, story in state.link.story.items():
            decision = state.records[name].decision
            assert isinstance(decision, LinkDecision)
            assert decision.story == story
            first.setdefault(name, decision.probability)

    assert sorted(found.first.probability.tolist()) == sorted(first.values())
    assert len(found.arrival) == len(found.settled) > 100
    assert (found.arrival.right == found.settled.right).all()
    assert found.arrival.probability.min() > 0
    assert found.last.right.mean() > 0.5


def test_a_pair_is_read_again_before_the_older_article_leaves() -> None:
    found = simulated()

    moved = found.arrival.probability != found.settled.probability

    assert moved.any()  # time is weighed anew in every slide
    likely = found.arrival.probability >= LINK
    assert found.arrival.right[likely].mean() > found.arrival.right[~likely].mean()


def test_one_command_writes_the_results(tmp_path: Path) -> None:
    path = tmp_path / "found.json"

    reliability.main(["simulated", "--results", str(path)])

    written = json.loads(path.read_text(encoding="utf-8"))
    each = written["streams"]["simulated"]
    assert set(KINDS) <= set(each)
    assert each["arrival"]["count"] == len(simulated().arrival)
    assert {figure.id for figure in figures(written)} == {
        "reliability-pairs",
        "reliability-articles",
    }


def test_curves_are_drawn_from_bins_that_have_enough() -> None:
    for figure in figures(READ):
        curves = [trace for trace in figure.traces if trace["name"] != "as said"]
        assert len(curves) == 2 * len(READ["streams"])
    assert ENOUGH >= 20
    assert ABOUT == (0.85, 0.95)


@pytest.mark.parametrize("name", LABELLED)
def test_the_results_are_of_every_labelled_stream(name: str) -> None:
    each = READ["streams"][name]

    assert each["window"] == LABELLED[name]
    for kind in KINDS:
        counts = [row["count"] for row in each[kind]["bins"]]
        assert sum(counts) == each[kind]["count"] > 0


def test_a_stream_is_run_with_its_own_window() -> None:
    if place_of("ground-2025") is None:
        pytest.skip("needs the labelled stream ground-2025 in shared/data")

    assert settings_of("ground-2025").to_dict()["window"] == "3d"
    assert len(load_labelled("ground-2025").articles) == 1964
