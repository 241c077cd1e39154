"""Stories as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.engine.state import Record, State
from ustory.stories.live import central, live_stories
from ustory.testing import TinyEncoder, tiny_slides
from ustory.testing.parts import DAY, START

PAIRS = Settings(mode="paper", min_articles=2)
EXAMPLE = {p.article.id: p for slide in tiny_slides() for p in slide.articles}


def after(slides: Sequence[Slide], settings: Settings = PAIRS) -> State:
    engine = Engine(settings, TinyEncoder())
    state = engine.begin()
    for slide in slides:
        state, _ = engine.advance(state, slide)
    return state


def copies(of: str, hours: Sequence[float], title: str = "") -> list[PreparedArticle]:
    """Return articles that say the same, so that they are one story."""
    original = EXAMPLE[of]
    return [
        replace(
            original,
            article=replace(
                original.article,
                id=f"{of}@{hour:g}",
                published_at=START + timedelta(hours=hour),
                title=title or original.article.title,
            ),
        )
        for hour in hours
    ]


def told(*articles: Sequence[PreparedArticle]) -> State:
    everything = [article for part in articles for article in part]
    return after([Slide(end=START + DAY, articles=everything)])


def test_nothing_has_no_stories() -> None:
    assert live_stories(State(), PAIRS) == []
    assert live_stories(after(tiny_slides()[:12]), PAIRS) == []


def test_the_story_with_the_most_articles_comes_first() -> None:
    state = told(copies("flood-0-0", [1, 2]), copies("vote-0-0", [1, 1.5, 2]))

    first, second = live_stories(state, PAIRS)

    assert [len(first.articles), len(second.articles)] == [3, 2]


@pytest.mark.parametrize(("flood", "vote"), [(4, 5), (5, 4)])
def test_of_stories_of_one_size_the_latest_comes_first(flood: int, vote: int) -> None:
    state = told(copies("flood-0-0", [1, flood]), copies("vote-0-0", [1, vote]))

    first, second = live_stories(state, PAIRS)

    assert first.last_seen - second.last_seen == timedelta(hours=1)


def test_of_equally_late_stories_the_oldest_comes_first() -> None:
    state = told(copies("flood-0-0", [1, 5]), copies("vote-0-0", [1, 5]))

    assert [story.id for story in live_stories(state, PAIRS)] == ["s000001", "s000002"]


def test_a_story_lists_its_articles_oldest_first() -> None:
    (story,) = live_stories(told(copies("flood-0-0", [7, 1, 5])), PAIRS)

    assert story.articles == ("flood-0-0@1", "flood-0-0@5", "flood-0-0@7")
    assert story.first_seen == START + timedelta(hours=1)
    assert story.last_seen == START + timedelta(hours=7)


def test_every_assigned_article_is_in_its_story() -> None:
    state = after(tiny_slides()[:3])

    listed = {
        a: story.id for story in live_stories(state, PAIRS) for a in story.articles
    }
    decided = {
        name: record.decision.story
        for name, record in state.records.items()
        if record.decision is not None
    }
    assert listed == decided
    assert len(listed) > 10


def test_what_left_the_window_is_still_in_the_total() -> None:
    slides = tiny_slides()
    final = {story.id: story for story in live_stories(after(slides[:10]), PAIRS)}

    # the first flood and vote are gone; of the final the first day is about to go
    (story,) = final.values()
    assert story.total == 9
    assert len(story.articles) < story.total
    assert story.first_seen >= slides[9].end - timedelta(days=7)


def test_keywords_are_the_theme_of_the_story() -> None:
    state = told(copies("flood-0-0", [1, 2]), copies("vote-0-0", [1, 1.5, 2]))

    vote, flood = live_stories(state, PAIRS)

    assert len(vote.keywords) == PAIRS.keywords
    assert "harbour law" in vote.keywords[:5]
    assert "flood" in flood.keywords[:5]
    assert not {"harbour", "senate"} & set(flood.keywords)


def test_the_headline_is_the_title_of_the_most_central_article() -> None:
    same = copies("flood-0-0", [2, 3, 4, 5], title="What happened")
    other = copies("flood-0-1", [1], title="Something else")
    state = told(same, other)

    (story,) = live_stories(state, PAIRS)

    assert len(story.articles) == 5
    assert story.headline == "What happened"


def test_without_a_title_the_first_sentence_is_the_headline() -> None:
    bare = [
        replace(p, article=replace(p.article, title=""))
        for p in copies("flood-0-0", [1, 2])
    ]

    (story,) = live_stories(told(bare), PAIRS)

    assert story.headline == EXAMPLE["flood-0-0"].sentences[0]


def record(name: str, *row: float) -> Record:
    vector = np.array(row, dtype=np.float16)
    return Record(
        id=name,
        pane=0,
        published_at=START,
        title=name,
        sentences=(name,),
        vector=vector,
    )


def test_the_nearest_by_angle_is_central_and_the_earliest_of_equals() -> None:
    story = np.array([3.0, 4.0], dtype=np.float32)
    far, near = record("far", 9, 0), record("near", 0.3, 0.4)
    same, none = record("same", 0.6, 0.8), record("none", 0, 0)

    assert central([far, near, same], story).id == "near"
    assert central([far, same, near], story).id == "same"
    assert central([none, far], story).id == "far"
    assert central([none], story).id == "none"


def test_a_story_brings_its_vector() -> None:
    (story,) = live_stories(told(copies("flood-0-0", [1, 2])), PAIRS)

    assert story.vector is not None
    assert story.vector.shape == (32,)
