"""Terms that have left the window are forgotten once they are many."""

from __future__ import annotations

from itertools import chain

import pytest

from ustory import Discovery, Settings
from ustory.core.story import Event
from ustory.engine import window_intake
from ustory.engine.state import State
from ustory.testing.parts import TinyEncoder
from ustory_bench.simulate import SimulationPlan, simulate

NEWS = list(simulate(SimulationPlan(articles=200, days=20, sentences=6)))
PAPER = Settings.paper(min_articles=2).with_({"window": "3d"})
LINKS = Settings(window="3d")  # type: ignore[arg-type]


def told(settings: Settings) -> list[tuple[State, tuple[Event, ...]]]:
    discovery = Discovery(settings, encoder=TinyEncoder())
    results = chain(discovery.add(NEWS), discovery.finish())
    return [(result.state, result.events) for result in results]


def dead(state: State) -> int:
    """Return how many terms no article of the window has."""
    return len(state.vocabulary) - int((state.documents.df > 0).sum())


@pytest.mark.parametrize("most", [0, 50])
def test_the_dead_are_few_and_nobody_misses_them(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = told(PAPER)
    monkeypatch.setattr(window_intake, "MAX_DEAD_TERMS", most)
    strict = told(PAPER)

    assert max(dead(state) for state, _ in strict) <= most
    assert max(dead(state) for state, _ in patient) > 50
    assert [events for _, events in strict] == [events for _, events in patient]
    assert sum(len(events) for _, events in strict) > 10


def test_links_remember_what_is_common_outside_the_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patient, _ = told(LINKS)[-1]
    monkeypatch.setattr(window_intake, "MAX_DEAD_TERMS", 0)
    strict, _ = told(LINKS)[-1]

    common = strict.link.background.common(len(strict.vocabulary))
    assert 0 < (common & (strict.documents.df == 0)).sum() <= dead(strict)
    assert dead(strict) < dead(patient)
