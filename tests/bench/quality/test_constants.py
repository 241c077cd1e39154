"""Constants are moved everywhere they are used, and nowhere else and no longer."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from statistics import fmean

import pytest
from rich.console import Console

from ustory.core.evidence import load_evidence
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory_bench.quality import left_out
from ustory_bench.quality.altered import PACKAGE, Changes, altered, value_of
from ustory_bench.quality.constant_moves import (
    MOVES,
    STAY,
    TUNED,
    Factor,
    Step,
    constants,
    grid,
    moved,
)
from ustory_bench.quality.constant_runs import ConstantRuns, measure
from ustory_bench.quality.constants import RESULTS, effect
from ustory_bench.quality.streams import load, parts
from ustory_bench.runner.follow import follow
from ustory_bench.runner.jobs import Inputs
from ustory_bench.runner.score import score_system
from ustory_bench.system import find_system


def stories(changes: Changes) -> list[dict[str, str | None]]:
    settings, stream = Settings(), load("demo")
    with altered(changes) as online:
        engine = online.Engine(settings, None)
        return [
            dict(each.stories) for each in follow(engine, stream.articles, settings)
        ]


def numbers_in(module: str) -> set[str]:
    """Return the names of the constants of a module that are public numbers."""
    found = import_module(f"{PACKAGE}.{module}")
    assert found.__file__ is not None
    tree = ast.parse(Path(found.__file__).read_text(encoding="utf-8"))
    names = {
        node.id
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return {
        name
        for name in names
        if name.isupper()
        and not name.startswith("_")
        and isinstance(getattr(found, name), int | float)
    }


@pytest.mark.parametrize("module", MOVES)
def test_every_constant_of_these_modules_is_moved_or_said_to_stay(module: str) -> None:
    told = {*MOVES[module], *STAY.get(module, {})}

    assert told == numbers_in(module)
    assert set(MOVES[module]).isdisjoint(STAY.get(module, {}))


@pytest.mark.parametrize(("module", "name"), constants(), ids=lambda each: str(each))
def test_every_constant_goes_to_other_values_of_its_kind(
    module: str, name: str
) -> None:
    own, far = value_of(module, name), moved(module, name)

    assert own not in far
    assert 1 <= len(far) <= 2
    assert {type(each) for each in far} == {type(own)}
    assert own in grid(module, name)
    assert set(far) <= set(grid(module, name))
    assert stays_itself(module, name)


def stays_itself(module: str, name: str) -> bool:
    """Return whether a module that is read with another value has that value."""
    other = moved(module, name)[0]
    with altered({(module, name): other}):
        inside = value_of(module, name)
    return inside == other and value_of(module, name) != other


def test_a_factor_divides_and_multiplies_and_a_step_goes_down_and_up() -> None:
    assert Factor().far(0.2) == (0.1, 0.4)
    assert Factor().near(0.2) == (0.16, 0.25)
    assert Factor().far(3) == (2, 6)
    assert Step(0.5).far(-2.8) == (-3.3, -2.3)
    assert Step(0.5).near(-2.8) == (-3.0, -2.6)


def test_read_anew_with_its_own_values_the_engine_is_the_same() -> None:
    settings, stream = Settings(), load("demo")
    usual = Engine(settings, None)  # type: ignore[arg-type]  # nothing is encoded
    expected = [dict(s.stories) for s in follow(usual, stream.articles, settings)]

    own = {key: value_of(*key) for key in constants()}

    assert stories({}) == expected
    assert stories(own) == expected


@pytest.mark.parametrize(
    "change",
    [
        {("prior", "BASE"): -4.0},  # imported by name
        {("evidence.words", "BODY"): -15.0},  # found by an entry point, one of a pair
        {("groups", "LINK"): 0.95},
        {("louvain", "BELONGS"): 0.9},  # read by a compiled loop
        {("joining", "ALIKE"): 0.1},
    ],
)
def test_what_is_changed_counts_inside_and_not_after(change: Changes) -> None:
    before = stories({})

    changed = stories(change)

    assert changed != before
    assert stories({}) == before


def fails_inside(evidence: object) -> None:
    with altered({("prior", "BASE"): 1.0}) as online:
        assert online.Engine is not Engine
        assert load_evidence("words") is not evidence
        _ = 1 / 0


def test_afterwards_all_modules_are_those_of_before() -> None:
    evidence, module = load_evidence("words"), sys.modules[f"{PACKAGE}.prior"]

    with pytest.raises(ZeroDivisionError):
        fails_inside(evidence)

    assert sys.modules[f"{PACKAGE}.prior"] is module
    assert import_module("ustory.engine.online").Engine is Engine
    assert type(load_evidence("words")) is type(evidence)


def test_a_name_that_is_not_set_is_refused() -> None:
    with (
        pytest.raises(LookupError, match="no constant NOTHING"),
        altered({("prior", "NOTHING"): 1.0}),
    ):
        pass


@pytest.fixture
def runs(tmp_path: Path) -> ConstantRuns:
    return ConstantRuns(tmp_path / "runs.jsonl", [load("demo")], 1, Console())


def test_an_effect_is_the_difference_to_the_defaults(runs: ConstantRuns) -> None:
    key = ("prior", "CONTRAST")
    runs.do([{}, *({key: value} for value in moved(*key))], "demo")

    found = effect(runs, *key)

    assert found["value"] == value_of(*key)
    assert [each["value"] for each in found["moved"]] == moved(*key)
    inputs = Inputs(stream=load("demo"), settings=Settings(), encoder=parts()[1])
    ours = measure(inputs, changes={})
    assert runs.find("demo", {}) == ours
    for each in found["moved"]:
        other = measure(inputs, changes={"prior.CONTRAST": each["value"]})
        told = each["streams"]["demo"]
        less = fmean(other["windows"]) - fmean(ours["windows"])
        assert told["less"]["mean"] == pytest.approx(less, abs=1e-4)
        less = other["whole_stream"] - ours["whole_stream"]
        assert told["less_whole_stream"] == pytest.approx(less, abs=1e-4)


def test_a_run_of_the_defaults_scores_what_every_comparison_says(
    runs: ConstantRuns,
) -> None:
    runs.do([{}], "demo")
    mode, settings = find_system("ustory-links"), Settings()

    usual = score_system(mode, load("demo"), settings, parts()[1]).plain()

    found = runs.find("demo", {})
    assert found["windows"] == pytest.approx(usual["windows"]["bcubed_f1"], abs=1e-6)
    whole = usual["figures"]["singleton"]["whole_stream_bcubed_f1"]
    assert found["whole_stream"] == pytest.approx(whole, abs=1e-6)


SIZE, HABIT = ("joining", "SIZE"), ("joining", "HABIT")
GAINS: dict[tuple[tuple[str, str], float], dict[str, float]] = {
    (SIZE, 0.2): {"one": 0.2, "two": 0.2},
    (SIZE, 0.3): {"one": 0.1, "two": 0.1},
    (HABIT, 0.5): {"one": 0.1, "two": 0.0},
}
ALONE: list[left_out.Choice] = [{key: value} for key, value in GAINS]


def added(choice: left_out.Choice, streams: Sequence[str]) -> float:
    """Return a score to which all changes add."""
    return sum(GAINS[each][stream] for each in choice.items() for stream in streams)


def only_one(choice: left_out.Choice, streams: Sequence[str]) -> float:
    """Return a score that falls when two constants are changed."""
    return added(choice, streams) - (len(choice) == 2)


def test_changes_are_made_as_long_as_the_other_streams_gain() -> None:
    both = {SIZE: 0.2, HABIT: 0.5}

    assert left_out.chosen(ALONE, ["one", "two"], added) == both
    assert left_out.chosen(ALONE, ["two"], added) == {SIZE: 0.2}
    assert left_out.chosen(ALONE, ["one", "two"], only_one) == {SIZE: 0.2}
    assert left_out.chosen(ALONE[2:], ["two"], added) == {}


def test_the_values_of_a_constant_are_tried_alone_and_its_own_is_not() -> None:
    found = left_out.changes("joining", "SIZE")

    values = [value for each in found for value in each.values()]
    assert {key for each in found for key in each} == {SIZE}
    assert sorted([*values, value_of(*SIZE)]) == grid(*SIZE)


def test_results_have_every_constant() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))["constants"]

    assert set(found) == {f"{module}.{name}" for module, name in constants()}


def test_results_of_leaving_out_have_every_tuned_constant() -> None:
    found = json.loads(left_out.RESULTS.read_text(encoding="utf-8"))

    assert set(found["tried"]) == {f"{m}.{n}" for m, n in constants(*TUNED)}
    assert set(found["left_out"]) == set(found["streams"])
