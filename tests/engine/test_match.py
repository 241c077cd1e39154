"""A match says beforehand where a slide would put an article."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from ustory import Article, Discovery, LinkDecision, Settings
from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH
from ustory.core.story import Slide
from ustory.engine.match import Matcher, StoryMatch, match
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.state import State
from ustory.sources import open_source
from ustory.sources.demo import demo_stream
from ustory.testing.parts import TinyEncoder
from ustory.text import load_pipeline
from ustory.window.panes import Calendar

LINKS = Settings(slide=timedelta(hours=6))
PAPER = Settings.paper(min_articles=None)


@cache
def stream() -> tuple[Article, ...]:
    source = open_source(str(demo_stream()))
    return tuple(arrival.article for arrival in source.read())


@cache
def window(settings: Settings, articles: int = 100) -> Discovery:
    """Return the demo stream up to some article."""
    discovery = Discovery(settings, encoder=TinyEncoder())
    deque(discovery.add(stream()[:articles]), maxlen=0)
    deque(discovery.finish(), maxlen=0)
    return discovery


@cache
def matcher_of(settings: Settings) -> Matcher:
    return Matcher.of(window(settings).state, settings)


def ready(*articles: Article) -> list[PreparedArticle]:
    return prepare(articles, load_pipeline("fast"), TinyEncoder(), Stopwatch())


def joined(found: list[StoryMatch]) -> str | None:
    return found[0].story if found and found[0].joins else None


def agreement(settings: Settings) -> float:
    """Return the share of articles that the slide puts where the match said.

    Where a slide begins a new story, a match should name none.
    """
    discovery = Discovery(settings, encoder=TinyEncoder())
    state, agreed = discovery.state, 0
    for results in (discovery.add(stream()), discovery.finish()):
        for result in (each for each in results if each.slide.articles):
            matcher = Matcher.of(state, settings)
            after = discovery.engine.assignments(result.state)
            for prepared in ready(*result.slide.articles):
                story = after[prepared.article.id]
                known = story if story in state.stories else None
                agreed += joined(matcher.match(prepared)) == known
            state = result.state
    return agreed / len(stream())


def told_twice(discovery: Discovery) -> tuple[Article, str]:
    """Return the first article of the window that has a story, as another source."""
    for article in stream():
        story = discovery.engine.assignments(discovery.state).get(article.id)
        if story is not None:
            return replace(article, id="again", source="Elsewhere"), story
    raise AssertionError("the demo stream must have stories")


@pytest.mark.parametrize(("settings", "floor"), [(Settings(), 0.80), (PAPER, 0.90)])
def test_the_slide_mostly_puts_an_article_where_the_match_said(
    settings: Settings, floor: float
) -> None:
    # measured: 0.86 and 0.98; most misses begin a new story together with
    # another article of their slide, which no match can know of
    assert agreement(settings) >= floor


def test_a_slide_of_the_article_alone_is_as_sure_as_the_match() -> None:
    discovery = window(LINKS)
    matcher, calendar = Matcher.of(discovery.state, LINKS), Calendar.of(LINKS)
    assert calendar is not None
    compared = 0
    for prepared in ready(*stream()[100:]):
        end = calendar.slide_end(prepared.article.published_at)
        slide = Slide(end=end, articles=[prepared])
        after, _ = discovery.engine.advance(discovery.state, slide)
        decision = after.records[prepared.article.id].decision
        found = matcher.match(prepared)
        if decision is None or decision.story != joined(found):
            continue
        assert isinstance(decision, LinkDecision)
        compared += 1
        said = found[0].evidence
        assert said is not None
        assert decision.confidence == pytest.approx(found[0].probability, abs=0.15)
        assert decision.links.keys() & found[0].links.keys()
        assert decision.evidence["words"] == pytest.approx(said["words"], abs=1.0)
        assert decision.evidence["meaning"] == pytest.approx(said["meaning"], abs=0.3)

    assert compared >= 5


def test_the_text_of_an_article_of_the_window_is_surely_of_its_story() -> None:
    discovery = window(LINKS)
    article, story = told_twice(discovery)

    (found,) = match(discovery.state, ready(article), LINKS)

    assert found[0].story == story
    assert 0.9 < found[0].probability < 1.0
    assert found[0].joins
    assert set(found[0].links.values()) == {1.0}
    members = discovery.engine.assignments(discovery.state)
    assert {members[each] for each in found[0].links} == {story}
    assert found[0].keywords


def test_without_copies_the_same_text_is_still_likely_of_its_story() -> None:
    settings = replace(LINKS, parts="lead meaning time chance review")
    discovery = window(settings)
    article, story = told_twice(discovery)

    (found,) = match(discovery.state, ready(article), settings)

    assert joined(found) == story
    assert 0.2 < found[0].probability < 1.0


def test_a_copy_of_an_article_that_waits_joins_no_story() -> None:
    discovery = window(LINKS)
    waiting = [
        article
        for article in stream()
        if article.id in discovery.state.records
        and discovery.engine.assignments(discovery.state)[article.id] is None
    ]
    copies = [replace(article, id=f"copy of {article.id}") for article in waiting]

    found = match(discovery.state, ready(*copies), LINKS)

    assert waiting
    assert [joined(each) for each in found] == [None] * len(waiting)


def test_in_mode_paper_the_story_of_the_same_text_comes_first() -> None:
    discovery = window(PAPER)
    article, story = told_twice(discovery)

    (found,) = match(discovery.state, ready(article), PAPER)

    assert joined(found) == story
    assert found[0].keywords
    assert not found[0].links
    assert 0 < found[0].probability < 1


@pytest.mark.parametrize("settings", [LINKS, PAPER])
def test_words_that_nobody_used_match_nothing(settings: Settings) -> None:
    odd = Article(id="odd", published_at=stream()[99].published_at, text="Xq zzv kkw.")

    assert match(window(settings).state, ready(odd), settings) == [[]]


@pytest.mark.parametrize("settings", [LINKS, PAPER])
def test_before_the_first_slide_there_is_no_story_to_match(settings: Settings) -> None:
    assert match(State(), ready(*stream()[:2]), settings) == [[], []]


def test_representations_that_encode_anew_ask_for_the_encoder() -> None:
    settings = replace(PAPER, representation="ThemSentConc")
    discovery = window(settings)
    article, story = told_twice(discovery)

    (found,) = match(discovery.state, ready(article), settings, TinyEncoder())

    assert joined(found) == story
    with pytest.raises(ConfigError, match=r"hand the encoder to Matcher\.of"):
        Matcher.of(discovery.state, settings)


def test_a_window_by_number_is_matched_as_well() -> None:
    for settings in (
        Settings(window=60, slide=20),
        Settings.paper(min_articles=None, window=60, slide=20),
    ):
        discovery = window(settings)
        article, story = told_twice(discovery)

        (found,) = match(discovery.state, ready(article), settings)

        assert joined(found) == story


def test_several_threads_may_ask_one_matcher() -> None:
    settings = PAPER
    articles = ready(*stream()[90:])
    matcher = Matcher.of(window(settings).state, settings)
    alone = [matcher.match(article) for article in articles]
    answers: list[list[list[StoryMatch]]] = []

    def ask() -> None:
        answers.append([matcher.match(article) for article in articles])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [alone] * 4


WORDS = sorted({word for article in stream()[::7] for word in article.text.split()})
TEXTS = st.lists(
    st.one_of(st.sampled_from(WORDS), st.text(min_size=1, max_size=8)),
    min_size=1,
    max_size=30,
).map(" ".join)
DATES = st.integers(-20_000, 40_000).map(lambda n: EPOCH + timedelta(days=n))
ARTICLES = st.builds(
    Article,
    id=st.sampled_from(["new", stream()[95].id]),
    published_at=DATES,
    title=TEXTS,
    text=TEXTS,
)


@pytest.mark.parametrize("settings", [LINKS, PAPER])
@effort(max_examples=20)
@given(articles=st.lists(ARTICLES.filter(lambda a: bool(a.title.strip())), max_size=3))
def test_any_text_of_any_time_is_matched_whatever_is_asked_before(
    settings: Settings, articles: list[Article]
) -> None:
    matcher, prepared = matcher_of(settings), ready(*articles)

    found = [matcher.match(each) for each in prepared]

    assert [matcher.match(each) for each in prepared[::-1]] == found[::-1]
    for matches in found:
        likely = [each.probability for each in matches]
        assert all(0 <= each <= 1 for each in likely)
        assert likely == sorted(likely, reverse=True)
        assert not any(each.joins for each in matches[1:])
        assert {each.story for each in matches} <= set(window(settings).state.stories)


@pytest.mark.parametrize("settings", [LINKS, PAPER])
def test_the_state_is_left_as_it_was(settings: Settings) -> None:
    discovery = window(settings)
    before = discovery.engine.freeze(discovery.state)

    assert any(match(discovery.state, ready(*stream()), settings))

    assert discovery.engine.freeze(discovery.state) == before
