"""A state with other ids is the same state under other names."""

from __future__ import annotations

import pytest

from tests.service.running import DAY, demo_articles, pipeline
from ustory.engine.state import State
from ustory.engine.state_changes import renamed
from ustory.service.settings import live_settings
from ustory.service.slide_runner import SlideRunner, Task
from ustory.testing import TinyEncoder


def told(mode: str) -> tuple[SlideRunner, State]:
    """Return a state after some days of the demo stream."""
    runner = SlideRunner(live_settings(slide=DAY, mode=mode), TinyEncoder(), pipeline())
    state = runner.engine.begin()
    end = demo_articles()[0].published_at.replace(hour=0, minute=0) + DAY
    for number in range(1, 11):
        some = [a for a in demo_articles() if end - DAY <= a.published_at < end]
        task = Task(number=number, end=end, articles=some)
        state, end = runner.run(state, task).after, end + DAY
    return runner, state


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_names_that_are_given_and_taken_back_change_nothing(mode: str) -> None:
    runner, state = told(mode)
    stories = {*state.stories, *state.link.archive.profiles}
    assert len(stories) >= 2
    there = {story: f"s9{story[2:]}" for story in stories}
    back = {new: old for old, new in there.items()}
    other = renamed(state, there)
    assert runner.engine.freeze(other) != runner.engine.freeze(state)
    assert set(other.stories) == {there[s] for s in state.stories}
    assert not set(runner.engine.assignments(other).values()) & set(state.stories)
    again = renamed(other, back)
    assert runner.engine.freeze(again) == runner.engine.freeze(state)


@pytest.mark.parametrize("mode", ["links", "paper"])
def test_a_renamed_state_goes_on_to_the_same_groups(mode: str) -> None:
    runner, state = told(mode)
    names = {story: f"s9{story[2:]}" for story in state.stories}
    assert state.end is not None
    some = [a for a in demo_articles() if 0 <= (a.published_at - state.end) / DAY < 1]
    task = Task(number=11, end=state.end + DAY, articles=some)
    plain = runner.run(state, task)
    other = runner.run(renamed(state, names), task)
    wanted = {a: names.get(str(p.story), p.story) for a, p in plain.places.items()}
    assert {a: p.story for a, p in other.places.items()} == wanted


def test_totals_are_taken_over() -> None:
    _, state = told("links")
    story = min(state.stories)
    assert renamed(state, {}, {story: 77}).stories[story].total == 77
