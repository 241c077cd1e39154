"""States say who wrote them, and those of older versions are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from typing import Any, cast

import numpy as np
import pytest

from tests.engine.mutations import closed, opened
from tests.engine.sameness import assert_same
from ustory.core.arrays import Vector
from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.snapshot import Written, seal, unseal, upgrades, written_by
from ustory.engine.snapshot.columns import Columns, codec_of
from ustory.engine.snapshot.states import freeze, thaw
from ustory.engine.snapshot.upgrades import FORMAT, Head
from ustory.engine.state import State
from ustory.links.evidence.time import NODES
from ustory.testing import TinyEncoder, tiny_slides

PAIRS = Settings(mode="paper", min_articles=2)


LINKS = Settings(mode="links")


def _full(settings: Settings) -> State:
    engine = Engine(settings, TinyEncoder())
    state = engine.begin()
    for slide in tiny_slides()[:2]:
        state, _ = engine.advance(state, slide)
    return state


FULL = _full(PAIRS)
FROZEN = freeze(FULL, PAIRS)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterState(State):
    """The state of a release that knows more."""

    mood: Mapping[str, float] = field(default_factory=dict)
    weather: str = "fair"


def test_a_field_that_is_added_takes_its_default_from_an_older_state() -> None:
    later, _ = unseal(FROZEN, LaterState, "here")

    assert (later.mood, later.weather) == ({}, "fair")
    assert_same(State(**{f.name: getattr(later, f.name) for f in fields(State)}), FULL)
    again, _ = unseal(seal(replace(later, weather="rain"), {}), LaterState, "here")
    assert again.weather == "rain"


def test_half_of_the_columns_of_a_field_are_not_its_default() -> None:
    about, columns = opened(FROZEN)
    del columns["state.days.key"]

    with pytest.raises(StateError, match=r"another version .*state\.days\.key"):
        thaw(closed(about, columns), "here")


def test_a_field_that_is_removed_goes_through_an_upgrade(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later, _ = unseal(FROZEN, LaterState, "here")
    sealed_later = seal(later, {"settings": opened(FROZEN)[0]["settings"]})
    with pytest.raises(StateError, match=r"it also has state\.mood"):
        unseal(sealed_later, State, "here")

    def without_mood(head: Head, columns: Columns) -> tuple[Head, Columns]:
        gone = ("state.mood", "state.weather")
        return head, {n: c for n, c in columns.items() if not n.startswith(gone)}

    monkeypatch.setattr(upgrades, "UPGRADES", {FORMAT: without_mood})
    monkeypatch.setattr(upgrades, "FORMAT", FORMAT + 1)

    assert_same(unseal(sealed_later, State, "here")[0], FULL)


def as_format_2(frozen: bytes) -> bytes:
    """Return a state as release 0.1.0 wrote it."""
    about, columns = opened(frozen)
    del about["written"]
    return closed(about, with_coarse_gaps(with_one_class(columns)), 2)


OLD_NODES = [0, *range(4, 11)]
"""The nodes at which gaps were counted to format 4: multiples of W/7."""


def with_coarse_gaps(columns: Columns) -> Columns:
    """Return columns with gaps as formats 2 to 4 counted them, and with `mates`."""
    old, hint = dict(columns), cast("Any", Vector)
    place = "state.link.gaps"
    for new, name in (("same", "sure"), ("other", "vague")):
        (counts,) = codec_of(hint).read(1, f"{place}.{new}", columns)
        for column in [each for each in old if each.startswith(f"{place}.{new}.")]:
            del old[column]
        codec_of(hint).write([counts[OLD_NODES]], f"{place}.{name}", old)
    codec_of(float).write([3.5], "state.link.mates", old)
    return old


def with_counts_at_old_nodes(state: State) -> State:
    """Return a state whose gaps are what an older format knew of them."""
    gaps = state.link.gaps
    kept = np.isin(np.arange(NODES), OLD_NODES)
    known = replace(gaps, same=gaps.same * kept, other=gaps.other * kept)
    return replace(state, link=replace(state.link, gaps=known))


def with_one_class(columns: Columns) -> Columns:
    """Return columns with decisions as formats 2 and 3 had them."""
    place = "state.records.value.decision"
    count = len(columns.pop(f"{place}.kind"))
    old = dict(columns)
    odds_of: Any = Mapping[str, Vector]
    (known,) = codec_of(odds_of).read(1, "state.link.links.evidence", old)
    column: Any = Vector
    for name in ("words", "meaning"):
        values = known.get(name, np.zeros(0))
        codec_of(column).write([values], f"state.link.links.{name}", old)
    for kind in ("LinkDecision", "ThemeDecision"):
        for name in columns:
            if name.startswith(f"{place}.{kind}."):
                old[name.replace(f".{kind}", "")] = old.pop(name)
    if f"{place}.probability" not in old:
        codec_of(Mapping[str, float]).write([{}] * count, f"{place}.links", old)
        return old
    evidence = codec_of(Mapping[str, float]).read(count, f"{place}.evidence", old)
    odds = {"cosine": "meaning", "divergence": "words"}
    for name, known_as in odds.items():
        values = [each.get(known_as, 0.0) for each in evidence]
        old[f"{place}.{name}"] = np.array(values)
    old[f"{place}.similarity"] = old.pop(f"{place}.probability")
    old[f"{place}.confidence"] = old[f"{place}.similarity"]
    return old


def test_a_state_says_who_wrote_it() -> None:
    assert written_by(FROZEN, "here") == Written(FORMAT, METHOD, version("ustory"))
    assert written_by(as_format_2(FROZEN), "here") == Written(2, 1, "0.1.0")


@pytest.mark.parametrize("settings", [PAIRS, LINKS], ids=["paper", "links"])
def test_the_format_of_the_first_release_is_read(settings: Settings) -> None:
    full = _full(settings)
    assert any(record.decision for record in full.records.values())
    expected = with_counts_at_old_nodes(full)
    assert_same(thaw(as_format_2(freeze(full, settings)), "here")[0], expected)


def test_a_decision_of_the_other_mode_is_refused() -> None:
    about, columns = opened(freeze(_full(LINKS), LINKS))
    about["settings"]["mode"] = "paper"

    with pytest.raises(StateError, match="a decision is not of mode paper"):
        thaw(closed(about, columns), "here")


def test_a_class_of_decisions_that_there_is_not_is_refused() -> None:
    about, columns = opened(FROZEN)
    kind = columns["state.records.value.decision.kind"]
    columns["state.records.value.decision.kind"] = np.full_like(kind, 2)

    with pytest.raises(StateError, match="names a class that there is not"):
        thaw(closed(about, columns), "here")


@pytest.mark.parametrize(
    "written", [None, [], {}, {"method": 0, "version": "1"}, {"method": "2"}]
)
def test_a_state_that_does_not_say_who_wrote_it_is_refused(written: object) -> None:
    about, columns = opened(FROZEN)
    about["written"] = written

    for read in (thaw, written_by):
        with pytest.raises(StateError, match="another version"):
            read(closed(about, columns), "here")
