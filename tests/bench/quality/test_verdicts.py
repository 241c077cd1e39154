from __future__ import annotations

from dataclasses import replace

import pytest
from tests.bench.runner.rigged_system import ABSENT, RIGGED, ByName, stream

from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder
from ustory_bench.quality import verdicts
from ustory_bench.quality.pins import PINNED, StreamPins, floors_of
from ustory_bench.quality.verdicts import Verdict, judge, measured, repinned
from ustory_bench.system import System

SETTINGS, ENCODER, STREAM = Settings(mode="paper"), TinyEncoder(), stream()
HALF = dict.fromkeys(PINNED, 0.5)


@pytest.fixture(autouse=True)
def systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the gate find the rigged systems by name."""
    known: dict[str, System] = {each.name: each for each in (RIGGED, ABSENT)}
    monkeypatch.setattr(verdicts, "find_system", known.__getitem__)


def pins_at_the_scores() -> StreamPins:
    figures = measured("rigged", STREAM, SETTINGS, ENCODER).figures
    return StreamPins(STREAM.sha256, {"rigged": floors_of(figures)})


def test_a_system_at_its_floors_passes() -> None:
    verdict = judge("rigged", STREAM, pins_at_the_scores(), SETTINGS, ENCODER)

    assert verdict.faults == ()
    assert verdict.missing == ""
    assert verdict.figures["windowed_bcubed_f1"] > 0


def test_a_fault_names_system_stream_metric_floor_and_value() -> None:
    pins = pins_at_the_scores()
    value = measured("rigged", STREAM, SETTINGS, ENCODER).figures["windowed_bcubed_f1"]
    floors = {**pins.floors["rigged"], "windowed_bcubed_f1": 0.999}

    verdict = judge(
        "rigged", STREAM, replace(pins, floors={"rigged": floors}), SETTINGS, ENCODER
    )

    (fault,) = verdict.faults
    said = f"rigged on tiny: windowed_bcubed_f1 is {value:.4f}, under its floor of 0.99"
    assert fault.startswith(said)


def test_a_system_without_floors_does_not_pass_silently() -> None:
    verdict = judge("rigged", STREAM, StreamPins(STREAM.sha256), SETTINGS, ENCODER)

    assert verdict.faults == (
        "rigged on tiny: no floors are pinned; pin them with --write.",
    )


def test_a_system_without_its_extra_is_told_and_not_judged() -> None:
    verdict = judge("absent", STREAM, StreamPins(STREAM.sha256), SETTINGS, ENCODER)

    assert "pip install 'ustory[bench]'" in verdict.missing
    assert not verdict.figures


def test_changed_data_is_refused_before_anything_is_run() -> None:
    with pytest.raises(ConfigError, match="the data of tiny changed"):
        judge("unheard of", STREAM, StreamPins("other"), SETTINGS, ENCODER)


def told(system: str, score: float) -> Verdict:
    figures = dict.fromkeys(PINNED, score)
    return Verdict(system=system, stream=STREAM.name, figures=figures)


def test_pinning_raises_what_rose_and_leaves_what_fell() -> None:
    before = StreamPins(STREAM.sha256, {"a": HALF, "b": HALF, "c": HALF})

    after, refused = repinned(
        before, STREAM, [told("a", 0.6), told("b", 0.4)], lower=False
    )

    assert after.floors == {"a": dict.fromkeys(PINNED, 0.59), "b": HALF, "c": HALF}
    (why,) = refused
    assert why.startswith("tiny: b: the floor of windowed_bcubed_f1 would fall")


def test_pinning_lowers_on_request() -> None:
    before = StreamPins(STREAM.sha256, {"b": HALF, "c": HALF})

    after, refused = repinned(before, STREAM, [told("b", 0.4)], lower=True)

    assert after.floors == {"b": dict.fromkeys(PINNED, 0.39), "c": HALF}
    assert refused == ()


def test_other_data_is_pinned_when_every_floor_holds_on_it() -> None:
    before = StreamPins("old", {"a": HALF})

    after, refused = repinned(before, STREAM, [told("a", 0.51)], lower=False)

    assert (after.sha256, after.floors, refused) == (STREAM.sha256, {"a": HALF}, ())


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        ([told("a", 0.6), told("b", 0.4)], "would fall"),
        ([told("a", 0.6)], "b cannot be measured on the new"),
        (
            [told("a", 0.6), Verdict(system="b", stream="tiny", missing="no extra")],
            "b cannot be measured on the new",
        ),
    ],
)
def test_other_data_is_pinned_whole_or_not_at_all(
    verdicts: list[Verdict], why: str
) -> None:
    before = StreamPins("old", {"a": HALF, "b": HALF})

    after, refused = repinned(before, STREAM, verdicts, lower=False)

    assert after == before
    assert why in refused[0]


def test_lowering_drops_floors_that_were_not_measured_on_other_data() -> None:
    before = StreamPins("old", {"a": HALF, "b": HALF})

    after, refused = repinned(before, STREAM, [told("a", 0.4)], lower=True)

    assert list(after.floors) == ["a"]
    assert (after.sha256, refused) == (STREAM.sha256, ())


def test_systems_that_ask_for_large_stories_are_judged_on_small_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[object] = []

    def build(settings: Settings, encoder: Encoder, min_articles: int) -> ByName:
        built.append(min_articles)
        return ByName(settings, depth=1)

    asking = System(
        name="asking", build=build, citation="none", parameters={"min_articles": 8}
    )
    monkeypatch.setattr(verdicts, "find_system", lambda name: asking)

    measured("asking", STREAM, SETTINGS, ENCODER)

    assert built == [2]
