"""Articles are taken out of a state, and nothing of them is left in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache

import numpy as np
import pytest

from tests.engine.sameness import assert_same
from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.stories.live import live_stories
from ustory.testing import TinyEncoder
from ustory.text.fast import FastPipeline

MODES = {
    "links": Settings(slide=timedelta(days=1)),
    "paper": Settings(mode="paper", slide=timedelta(days=1), min_articles=2),
}
SECRET = "Xanthipporelia"


@cache
def pipeline() -> FastPipeline:
    return FastPipeline()


@cache
def slides() -> tuple[Slide, ...]:
    found = [arrival.article for arrival in open_source(str(demo_stream())).read()]
    found.sort(key=lambda article: article.published_at)
    end = found[0].published_at.replace(hour=0, minute=0) + timedelta(days=1)
    made = []
    for _ in range(8):
        now = [article for article in found if article.published_at < end]
        found = found[len(now) :]
        made.append(Slide(end=end, articles=ready(now)))
        end += timedelta(days=1)
    return tuple(made)


def ready(articles: list[Article]) -> list[PreparedArticle]:
    return prepare(articles, pipeline(), TinyEncoder(), Stopwatch())


def run(engine: Engine, upto: int = 5) -> State:
    state = engine.begin()
    for slide in slides()[:upto]:
        state, _ = engine.advance(state, slide)
    return state


def secret(state: State, of: str) -> PreparedArticle:
    """Return an article like another, with a word of its own."""
    [like] = [p for s in slides() for p in s.articles if p.article.id == of]
    text = f"{SECRET} Smith said so. {like.article.text}"
    assert state.end is not None
    made = replace(like.article, id="secret", title=f"{SECRET}: {like.article.title}")
    [prepared] = ready([replace(made, text=text, published_at=state.end)])
    return prepared


@pytest.mark.parametrize("mode", MODES)
def test_nothing_of_an_article_is_left_in_the_bytes_of_the_state(mode: str) -> None:
    engine = Engine(MODES[mode], TinyEncoder())
    state = run(engine)
    story = live_stories(state, MODES[mode])[0]
    odd = secret(state, story.articles[0])
    assert state.end is not None
    end = state.end + timedelta(days=1)
    after, _ = engine.advance(state, Slide(end=end, articles=[odd]))
    word = SECRET.lower().encode()
    assert word in engine.freeze(after).lower()

    left = engine.without(after, Withdrawn(articles=[odd]))

    assert "secret" not in left.records
    assert word not in engine.freeze(left).lower()
    assert_same(engine.thaw(engine.freeze(left)), left)
    assert left.documents.articles == after.documents.articles - 1


@pytest.mark.parametrize("mode", MODES)
def test_a_state_goes_on_without_an_article_as_if_it_had_not_come(mode: str) -> None:
    settings = MODES[mode]
    engine = Engine(settings, TinyEncoder())
    state = run(engine)
    story = live_stories(state, settings)[0]
    name = story.articles[0]
    [prepared] = [p for s in slides() for p in s.articles if p.article.id == name]

    left = engine.without(state, Withdrawn(articles=[prepared]))

    [same] = [s for s in live_stories(left, settings) if s.id == story.id]
    assert same.articles == story.articles[1:]
    assert same.total == story.total - 1
    summary = left.stories[story.id]
    assert summary.articles == len(same.articles)
    terms = sum(int(pane.tf.sum()) for pane in summary.panes.values())
    assert terms == sum(pane.length for pane in summary.panes.values())
    df = np.zeros(len(left.vocabulary), dtype=np.int32)
    for pane in left.documents.panes.values():
        df[pane.terms] += pane.df
    assert np.array_equal(df, left.documents.df)
    assert (df > 0).all()
    for slide in slides()[5:]:  # and the slides behind work, to the last one
        left, _ = engine.advance(left, slide)
    assert name not in left.records


@pytest.mark.parametrize("mode", MODES)
def test_the_order_in_which_articles_are_taken_out_makes_no_difference(
    mode: str,
) -> None:
    engine = Engine(MODES[mode], TinyEncoder())
    state = run(engine)
    some = [p for p in slides()[4].articles if p.article.id in state.records][:4]
    one = engine.without(state, Withdrawn(articles=some))
    other = engine.without(state, Withdrawn(articles=some[::-1]))
    assert list(one.stories) == list(other.stories)
    assert [s.total for s in one.stories.values()] == [
        s.total for s in other.stories.values()
    ]
    assert set(one.records) == set(other.records)


@pytest.mark.parametrize("mode", MODES)
def test_all_articles_can_be_taken_out(mode: str) -> None:
    engine = Engine(MODES[mode], TinyEncoder())
    state = run(engine)
    every = [p for s in slides() for p in s.articles]
    left = engine.without(state, Withdrawn(articles=every))
    assert not left.records
    assert not left.stories
    assert len(left.vocabulary) == 0
    left, _ = engine.advance(left, slides()[5])
    assert left.records


def test_what_was_a_copy_of_an_article_takes_its_place() -> None:
    engine = Engine(MODES["links"], TinyEncoder())
    state = run(engine)
    story = live_stories(state, MODES["links"])[0]
    [like] = [
        p for s in slides() for p in s.articles if p.article.id == story.articles[0]
    ]
    assert state.end is not None
    copy = replace(like, article=replace(like.article, id="zz", published_at=state.end))
    end = state.end + timedelta(days=1)
    after, _ = engine.advance(state, Slide(end=end, articles=[copy]))
    serial = after.link.articles["zz"].serial
    assert serial in after.link.copies
    left = engine.without(after, Withdrawn(articles=[like]))
    assert serial not in left.link.copies
    assert left.link.story["zz"] == story.id


def test_the_profile_of_a_story_that_left_the_window_is_forgotten() -> None:
    engine = Engine(MODES["links"], TinyEncoder())
    state = run(engine)
    assert state.end is not None
    later, _ = engine.advance(state, Slide(end=state.end + timedelta(days=30)))
    [first, *others] = later.link.archive.profiles
    left = engine.without(later, Withdrawn(articles=[], outside=[first]))
    assert list(left.link.archive.profiles) == others
