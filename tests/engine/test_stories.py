"""Stories as people read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.state import Record, State
from ustory.engine.stories import central, live_stories
from ustory.testing import TinyEncoder, tiny_slides
from ustory.testing.corpus import DAY, START

PAIRS = Settings(min_articles=2)


def state_after(slides: int, settings: Settings = PAIRS) -> State:
    engine = Engine(settings, TinyEncoder())
    state = engine.begin()
    for slide in tiny_slides()[:slides]:
        state, _ = engine.advance(state, slide)
    return state


def test_nothing_has_no_stories() -> None:
    assert live_stories(State(), PAIRS) == []


def test_the_liveliest_story_comes_first() -> None:
    stories = live_stories(state_after(5), PAIRS)

    sizes = [len(story.articles) for story in stories]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 3


def test_of_stories_of_one_size_the_latest_comes_first() -> None:
    state = state_after(1)
    latest = {
        story.id: story.last_seen for story in live_stories(state, PAIRS)
    }
    one = {k: s for k, s in state.stories.items()}
    sizes = {k: s.articles for k, s in one.items()}
    assert len(set(sizes.values())) > 1 or list(latest.values()) == sorted(
        latest.values(), reverse=True
    )


def test_a_story_lists_its_articles_oldest_first() -> None:
    state = state_after(3)

    for story in live_stories(state, PAIRS):
        records = [state.records[article] for article in story.articles]
        times = [record.published_at for record in records]
        assert times == sorted(times)
        assert (story.first_seen, story.last_seen) == (times[0], times[-1])
        for record in records:
            assert record.decision is not None
            assert record.decision.story == story.id
