"""A state with other ids is the same state under other names."""

from __future__ import annotations

import pytest

from tests.service.running import DAY, demo_articles, pipeline
from ustory.engine.rename import renamed
from ustory.engine.state import State
from ustory.service.settings import live_settings
from ustory.service.slide_runner import Task, Teller
from ustory.testing import TinyEncoder


def told(mode: str) -> tuple[Teller, State]:
    """Return a state after some days of the demo stream."""
    teller = Teller(live_settings(slide=DAY, mode=mode), TinyEncoder(), pipeline())
    state = teller.engine.begin()
    end = demo_articles()[0].published_at.replace(hour=0, minute=0) + DAY
    for number in range(1, 11):
        some = [a for a in demo_articles() if end - DAY <= a.published_at < end]
        task = Task(number=number, end=end, articles=some)
        state, end = teller.tell(state, task).after, end + DAY
    return teller, state


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_names_that_are_given_and_taken_back_change_nothing(mode: str) -> None:
    teller, state = told(mode)
    stories = {*state.stories, *state.link.archive.profiles}
    assert len(stories) >= 2
    there = {story: f"s9{story[2:]}" for story in stories}
    back = {new: old for old, new in there.items()}
    other = renamed(state, there)
    assert teller.engine.freeze(other) != teller.engine.freeze(state)
    assert set(other.stories) == {there[s] for s in state.stories}
    assert not set(teller.engine.assignments(other).values()) & set(state.stories)
    again = renamed(other, back)
    assert teller.engine.freeze(again) == teller.engine.freeze(state)


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_a_renamed_state_goes_on_to_the_same_groups(mode: str) -> None:
    teller, state = told(mode)
    names = {story: f"s9{story[2:]}" for story in state.stories}
    assert state.end is not None
    some = [a for a in demo_articles() if 0 <= (a.published_at - state.end) / DAY < 1]
    task = Task(number=11, end=state.end + DAY, articles=some)
    plain = teller.tell(state, task)
    other = teller.tell(renamed(state, names), task)
    wanted = {a: names.get(str(p.story), p.story) for a, p in plain.places.items()}
    assert {a: p.story for a, p in other.places.items()} == wanted


def test_totals_are_taken_over() -> None:
    _, state = told("links")
    story = min(state.stories)
    assert renamed(state, {}, {story: 77}).stories[story].total == 77
