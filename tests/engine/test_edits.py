"""A slide has a place for edits: empty lists change nothing, unknown kinds are refused.

No kind of edit is known yet, so tests that need one declare it for themselves.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ustory.core import edit as edits_module
from ustory.core.edit import Edit
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.testing.parts import TinyEncoder

_END = datetime(2024, 3, 5, tzinfo=UTC)
_MERGE = Edit(
    number=1,
    kind="merge",
    target="s000001",
    payload={"into": "s000002"},
    by="ada",
    at=_END,
    why="one trial",
)


def _engine(mode: str) -> Engine:
    settings = Settings() if mode == "links" else Settings.paper()
    return Engine(settings, TinyEncoder())


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_an_edit_of_an_unknown_kind_is_refused(mode: str) -> None:
    engine = _engine(mode)

    with pytest.raises(ConfigError, match=r"edit 1 .*'merge'.*no kind yet"):
        engine.advance(engine.begin(), Slide(end=_END, edits=[_MERGE]))


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_an_empty_list_of_edits_changes_nothing(mode: str) -> None:
    engine = _engine(mode)

    without, _ = engine.advance(engine.begin(), Slide(end=_END))
    with_none, _ = engine.advance(engine.begin(), Slide(end=_END, edits=[]))

    assert without.edits == ()
    assert engine.freeze(without) == engine.freeze(with_none)


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_the_state_keeps_the_edits_in_force(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits_module, "EDIT_KINDS", frozenset({"merge"}))
    engine = _engine(mode)
    second = replace(_MERGE, number=2, payload={}, why="")

    first, _ = engine.advance(engine.begin(), Slide(end=_END, edits=[_MERGE]))
    later = Slide(end=_END.replace(day=6), edits=[second])
    state, _ = engine.advance(first, later)

    assert state.edits == (_MERGE, second)
    assert engine.thaw(engine.freeze(state)).edits == (_MERGE, second)
    assert engine.freeze(state) != engine.freeze(replace(state, edits=()))
