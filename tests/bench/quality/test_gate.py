"""No system scores under its floors, on data that is what it was when pinned."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.core.registry import names
from ustory_bench.quality import gate
from ustory_bench.quality.pins import PINNED, StreamPins, read_pins, write_pins
from ustory_bench.quality.streams import (
    ALWAYS,
    ELSEWHERE,
    SETTINGS,
    load,
    parts,
    place_of,
)
from ustory_bench.quality.verdicts import judge

FLOORS = read_pins(gate.FLOORS)
SYSTEMS = names("systems")
STREAMS = [
    *ALWAYS,
    *(pytest.param(name, marks=pytest.mark.slow) for name in ELSEWHERE),
]


def skip_if_absent(stream: str) -> None:
    if stream in ELSEWHERE and place_of(stream) is None:
        pytest.skip(f"needs the labelled stream {stream} in ../shared/data")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("stream", STREAMS)
def test_no_score_is_under_its_floor(stream: str, system: str) -> None:
    skip_if_absent(stream)

    verdict = judge(
        system, load(stream), FLOORS.get(stream, StreamPins()), SETTINGS, parts()[1]
    )

    if verdict.missing:
        pytest.skip(verdict.missing)
    assert verdict.faults == ()


@pytest.mark.parametrize("stream", [*ALWAYS, *ELSEWHERE])
def test_every_floor_is_of_a_registered_system_and_has_all_figures(
    stream: str,
) -> None:
    pins = FLOORS[stream]

    assert gate.unknown_systems(pins) == []
    assert re.fullmatch("[0-9a-f]{64}", pins.sha256)
    for floors in pins.floors.values():
        assert set(floors) == set(PINNED)


def test_a_system_with_floors_that_is_gone_is_told() -> None:
    (told,) = gate.unknown_systems(StreamPins("", {"gone": {}}))

    assert told.startswith("gone has floors and is not registered")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """Run the command on the demo stream with one system; return its exit status."""
    only: Sequence[str] = ("--streams", "demo", "--systems", "ustory-auto")
    monkeypatch.setattr(sys, "argv", ["gate", *only, *arguments])
    with pytest.raises(SystemExit) as left:
        gate.main()
    return left.value.code


def test_the_command_pins_judges_and_lowers_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "floors.json"
    floors = ("--floors", str(path))
    assert run(monkeypatch, *floors) == 1  # nothing is pinned yet
    assert run(monkeypatch, *floors, "--write") == 0
    assert run(monkeypatch, *floors) == 0
    pinned = read_pins(path)["demo"]

    too_high = dict.fromkeys(PINNED, 0.999)
    write_pins(path, {"demo": StreamPins(pinned.sha256, {"ustory-auto": too_high})})
    capsys.readouterr()
    assert run(monkeypatch, *floors) == 1
    said = capsys.readouterr().out
    assert "ustory-auto on demo: windowed_bcubed_f1 is 0." in said
    assert "under its floor of 0.9990" in said

    assert run(monkeypatch, *floors, "--write") == 1
    assert "would fall from 0.999" in capsys.readouterr().out
    assert read_pins(path)["demo"].floors["ustory-auto"] == too_high
    assert run(monkeypatch, *floors, "--write", "--lower") == 0
    assert read_pins(path)["demo"] == pinned


def test_changed_data_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "floors.json"
    write_pins(path, {"demo": StreamPins("0" * 64, {})})

    assert run(monkeypatch, "--floors", str(path)) == 1
    assert "the data of demo changed" in capsys.readouterr().out


def test_lowering_without_writing_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--lower") == 2
    assert "--lower goes with --write" in capsys.readouterr().err


def test_a_stream_that_is_not_there_is_refused_with_the_list() -> None:
    with pytest.raises(ConfigError, match=r"named 'unheard-of' here; .*demo"):
        load("unheard-of")
