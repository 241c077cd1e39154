from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.runner.rigged_system import stream

from ustory.core.errors import ConfigError
from ustory_bench.quality.pins import (
    MARGIN,
    PINNED,
    StreamPins,
    floor_of,
    floors_of,
    moved,
    read_pins,
    write_pins,
)

HALF = dict.fromkeys(PINNED, 0.5)
PINS = dict.fromkeys(PINNED, 0.49)
"""The floors of those scores."""


@given(st.floats(-1, 1))
def test_a_floor_is_the_margin_under_its_score_and_at_most_a_thousandth_more(
    score: float,
) -> None:
    floor = floor_of(score)

    assert score - floor >= MARGIN - 1e-12
    assert score - floor < MARGIN + 0.001 + 1e-12
    assert float(f"{floor:.3f}") == floor


def test_a_score_that_is_not_a_number_cannot_be_pinned() -> None:
    with pytest.raises(ConfigError, match="a floor must be a number, got nan"):
        floors_of({**HALF, "windowed_ami": float("nan")})


def test_floors_are_of_both_views_and_the_papers_metrics() -> None:
    assert set(floors_of({**HALF, "windowed_bcubed_recall": 0.1})) == set(PINNED)
    assert len(PINNED) == 6


def test_floors_go_up_freely() -> None:
    pins = moved(StreamPins("sha"), "b", HALF, lower=False)
    pins = moved(pins, "a", HALF, lower=False)

    raised = moved(pins, "b", {**HALF, "windowed_ari": 0.6667}, lower=False)

    assert raised.floors["b"] == {**PINS, "windowed_ari": 0.656}
    assert raised.floors["a"] == PINS
    assert list(raised.floors) == ["a", "b"]


def test_a_floor_comes_down_only_on_request() -> None:
    pins = moved(StreamPins("sha"), "a", HALF, lower=False)
    worse = {**HALF, "windowed_ami": 0.4999, "windowed_ari": 0.9}

    with pytest.raises(
        ConfigError, match=r"a: the floor of windowed_ami .* 0\.490 to 0\.489.*--lower"
    ):
        moved(pins, "a", worse, lower=False)
    assert moved(pins, "a", worse, lower=True).floors["a"]["windowed_ami"] == 0.489


def test_other_data_than_the_pinned_is_refused_in_words() -> None:
    pins = StreamPins("a" * 64)

    pins.refuse_other_data(stream("tiny", "a" * 64))
    with pytest.raises(ConfigError, match=r"the data of tiny changed.*aaa….*bbb….*"):
        pins.refuse_other_data(stream("tiny", "b" * 64))


def test_pins_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "floors.json"
    pins = {"b": StreamPins("1", {"x": HALF}), "a": StreamPins("2", {})}

    write_pins(path, pins)

    assert read_pins(path) == pins
    table = json.loads(path.read_text(encoding="utf-8"))
    assert list(table["streams"]) == ["a", "b"]
    assert table["protocol"] == "singleton"


def test_without_a_file_nothing_is_pinned(tmp_path: Path) -> None:
    assert read_pins(tmp_path / "none.json") == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"streams": {"a": {}}}', "{"])
def test_a_broken_file_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "floors.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match="cannot read floors from"):
        read_pins(path)
