"""A headline fits its story: one source cannot put a title over what others tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import cycle, islice

import numpy as np
import pytest

from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide, Story
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.state import State
from ustory.links.article import LinkedArticle
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.stories.live import fitting, live_stories
from ustory.testing import TinyEncoder
from ustory.text.fast import FastPipeline

SPAM = "Buy Zorcoin today and get rich"
SETTINGS = Settings(slide=timedelta(days=1))
STORIES = range(5)


@cache
def pipeline() -> FastPipeline:
    return FastPipeline()


def ready(articles: Sequence[Article]) -> list[PreparedArticle]:
    return prepare(articles, pipeline(), TinyEncoder(), Stopwatch())


@cache
def demo() -> dict[str, Article]:
    found = [arrival.article for arrival in open_source(str(demo_stream())).read()]
    return {article.id: article for article in found}


@cache
def told() -> tuple[Engine, tuple[tuple[State, Story], ...]]:
    """Return five stories of several sources, and the state when each was largest."""
    engine = Engine(SETTINGS, TinyEncoder())
    state = engine.begin()
    end = min(a.published_at for a in demo().values()).replace(hour=0, minute=0)
    left = sorted(demo().values(), key=lambda a: a.published_at)
    best: dict[str, tuple[State, Story]] = {}
    while left:
        end += timedelta(days=1)
        now = [a for a in left if a.published_at < end]
        left = [a for a in left if a.published_at >= end]
        state, _ = engine.advance(state, Slide(end=end, articles=ready(now)))
        for story in live_stories(state, SETTINGS):
            known = best.get(story.id)
            if known is None or len(story.articles) > len(known[1].articles):
                best[story.id] = state, story
    many = [pair for pair in best.values() if pair[1].sources >= 5]
    many.sort(key=lambda pair: (-pair[1].sources, pair[1].id))
    return engine, tuple(many[: len(STORIES)])


def first_sentences(story: Story) -> Sequence[str]:
    whole = [demo()[a].text.split(". ")[0] + "." for a in story.articles]
    return [" ".join(whole[i:] + whole[:i]) for i in range(len(whole))]


def keywords_repeated(story: Story) -> Sequence[str]:
    return [" ".join(story.keywords) + ". " + " ".join(story.keywords * 3) + "."]


def plain_copies(story: Story) -> Sequence[str]:
    return [demo()[a].text for a in story.articles]


def attacked(
    place: int,
    texts: Callable[[Story], Sequence[str]],
    many: int,
    title: str = SPAM,
    outlets: int = 1,
) -> tuple[Story, list[Story]]:
    """Return a story, and all stories after some sources had their say."""
    engine, stories = told()
    state, story = stories[place]
    assert state.end is not None
    forged = [
        Article(
            id=f"z{number:03}",
            published_at=state.end + timedelta(minutes=number),
            title=title,
            text=text,
            source=f"evil-{number % outlets}.example",
        )
        for number, text in enumerate(islice(cycle(texts(story)), many))
    ]
    slide = Slide(end=state.end + timedelta(days=1), articles=ready(forged))
    after, _ = engine.advance(state, slide)
    return story, live_stories(after, SETTINGS)


def test_the_attacked_stories_have_several_sources() -> None:
    _, stories = told()
    assert len(stories) == len(STORIES)
    assert min(story.sources for _, story in stories) >= 5


@pytest.mark.parametrize("many", [1, 5, 13, 30])
@pytest.mark.parametrize("texts", [first_sentences, keywords_repeated, plain_copies])
@pytest.mark.parametrize("place", STORIES)
def test_one_source_cannot_take_the_headline_of_a_story(
    place: int, texts: Callable[[Story], Sequence[str]], many: int
) -> None:
    story, after = attacked(place, texts, many)
    others = [s for s in after if set(s.articles) & set(story.articles)]
    assert others
    for each in others:
        honest = set(each.articles) & set(story.articles)
        if len({demo()[a].source for a in honest}) >= 2:
            assert each.headline != SPAM


@pytest.mark.parametrize("place", STORIES)
def test_a_headline_padded_with_the_storys_own_words_does_not_win(place: int) -> None:
    _, stories = told()
    title = f"{stories[place][1].headline}: buy Zorcoin"
    story, after = attacked(place, first_sentences, 13, title)
    for each in after:
        honest = set(each.articles) & set(story.articles)
        if len({demo()[a].source for a in honest}) >= 4:
            assert each.headline != title


def test_the_attack_reaches_the_stories() -> None:
    joined = 0
    for place in STORIES:
        story, after = attacked(place, plain_copies, 5)
        [same] = [s for s in after if s.id == story.id]
        joined += any(article.startswith("z") for article in same.articles)
    assert joined == len(STORIES)


def linked(source: str, title: Sequence[int], lead: Sequence[int]) -> LinkedArticle:
    terms = np.array(sorted({*title, *lead}), dtype=np.int32)
    ones = np.ones(len(terms), dtype=np.int32)
    return LinkedArticle(
        id=f"{source}{title}", serial=0, pane=0, day=0.0, source=source, terms=terms,
        tf=ones, in_title=np.isin(terms, title), cells=ones, sentence=ones, count=ones,
        lead=np.arange(len(terms), dtype=np.int32), lead_tf=ones,
        vector=np.zeros(2, dtype=np.float32),
    )  # fmt: skip


def test_a_source_is_one_voice_and_not_heard_on_its_own_title() -> None:
    spam = [linked("z", [7, 8, 9], [1, 2, 3]) for _ in range(20)]
    honest = [linked(name, [1, 2, 3], [4, 5]) for name in "abcd"]
    assert fitting([*spam, *honest]) == [False] * 20 + [True] * 4
    assert fitting([*spam, *honest[:2]]) == [False] * 20 + [True] * 2


def test_of_two_sources_neither_is_believed_more() -> None:
    assert fitting([linked("a", [1, 2, 3], []), linked("b", [7, 8], [])]) == [True] * 2


def test_articles_of_unnamed_sources_are_one_voice_among_named_ones() -> None:
    unnamed = [linked("", [7, 8, 9], [1]) for _ in range(5)]
    named = [linked(name, [1, 2, 3], []) for name in "abcd"]
    assert fitting([*unnamed, *named]) == [False] * 5 + [True] * 4
    alone = [replace(article, id=str(i)) for i, article in enumerate(unnamed)]
    assert fitting(alone) == [True] * 5


def test_where_hardly_any_source_is_named_each_unnamed_article_is_one() -> None:
    unnamed = [
        replace(linked("", [1, 2, 3], [4, 5]), id=f"honest {i}") for i in range(8)
    ]
    spam = [linked("evil.example", [1, 2, 9], [1, 2, 3]) for _ in range(20)]
    assert fitting([*spam, *unnamed]) == [False] * 20 + [True] * 8


@pytest.mark.parametrize(("honest", "held"), [(20, True), (5, False)])
def test_it_takes_more_sources_to_name_a_larger_story(honest: int, held: bool) -> None:
    spam = [linked(f"evil {i}", [7, 8, 9], [1, 2, 3]) for i in range(3)]
    others = [linked(f"paper {i}", [1, 2, 3, i + 100], []) for i in range(honest)]
    fit = fitting([*spam, *others])
    assert fit[:3] == [not held] * 3


@pytest.mark.parametrize("place", STORIES)
def test_copies_put_no_title_over_a_story_whoever_prints_them(place: int) -> None:
    story, after = attacked(place, plain_copies, 40, outlets=10)
    [same] = [s for s in after if s.id == story.id]
    assert any(article.startswith("z") for article in same.articles)
    assert same.headline != SPAM


def test_a_title_of_a_single_shared_word_does_not_fit() -> None:
    some = [linked(name, [1, 2, 3, 4], []) for name in "abcd"]
    assert fitting([linked("e", [1], []), *some]) == [False, *[True] * 4]
