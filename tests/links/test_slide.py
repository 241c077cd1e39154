"""A slide: the same stories in any order, from a snapshot, and within bounds."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from tests.engine.sameness import assert_same
from tests.links.running import LinkRun, one_slide, partition, texts
from tests.reference.strategies import DAY, START, cut, stream
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.snapshot.container import seal, unseal
from ustory.links.pairing import MAX_LINKS_PER_ARTICLE
from ustory.links.slide import Parts
from ustory.links.state import LinkState
from ustory.text.counting import count_terms

FLOOD = "flood river velm. flood boats rescue velm families. river rain barrier"
VOTE = "senate vote harbour. senators amend harbour law. recount vote law unions"
THREE_DAYS = Settings(window=3 * DAY)
EVERY_TEXT = Parts(copies=False)
"""Copies are linked like any article."""
COUNTS = st.lists(st.integers(0, 10), min_size=2, max_size=5)
SEEDS = st.integers(0, 10**6)


def slides_of(seed: int, counts: list[int], trailing: int = 0) -> tuple[Slide, ...]:
    return cut(stream(seed, counts, topics=4), THREE_DAYS, trailing)


@limits(max_examples=40)
@given(SEEDS, COUNTS)
def test_the_order_of_articles_in_a_slide_does_not_matter(
    seed: int, counts: list[int]
) -> None:
    one, other = LinkRun(THREE_DAYS), LinkRun(THREE_DAYS)
    shuffle = random.Random(seed)
    for slide in slides_of(seed, counts):
        mixed = list(slide.articles)
        shuffle.shuffle(mixed)
        one.advance(slide)
        other.advance(replace(slide, articles=mixed))

        assert one.state.story == other.state.story
        assert list(one.state.articles) == list(other.state.articles)


@limits(max_examples=30)
@given(SEEDS, COUNTS)
def test_a_restored_state_goes_on_bit_for_bit(seed: int, counts: list[int]) -> None:
    one, other = LinkRun(THREE_DAYS), LinkRun(THREE_DAYS)
    for slide in slides_of(seed, counts, trailing=3):
        one.advance(slide)
        other.advance(slide)
        other.state, _ = unseal(seal(other.state, {}), LinkState, "here")

        assert_same(other.state.archive.profiles, one.state.archive.profiles)
        assert_same(replace(other.state, archive=one.state.archive), one.state)


@limits(max_examples=30)
@given(SEEDS, COUNTS)
def test_another_vocabulary_in_the_same_order_changes_no_bit(
    seed: int, counts: list[int]
) -> None:
    one, other = LinkRun(THREE_DAYS), LinkRun(THREE_DAYS)
    for number, slide in enumerate(slides_of(seed, counts, trailing=3)):
        one.advance(slide)
        foreign = count_terms([[f"foreign{number}", "abroad"]])
        other.vocabulary, _ = other.vocabulary.grown([foreign])
        other.advance(slide)

        assert other.state.story == one.state.story
        assert_same(other.state.links, one.state.links)
        # terms that no article has are let go of, so all numbers after them move
        alive = np.zeros(len(other.vocabulary), dtype=bool)
        alive[: len(other.state.background.df)] = other.state.background.df > 0
        other.vocabulary, moved = other.vocabulary.keep(alive)
        other.state = other.state.renumbered(moved)


@limits(max_examples=30)
@given(SEEDS, COUNTS)
def test_what_leaves_the_window_leaves_no_link_and_no_story(
    seed: int, counts: list[int]
) -> None:
    run = LinkRun(THREE_DAYS, EVERY_TEXT)
    for slide in slides_of(seed, counts, trailing=4):
        run.advance(slide)
        state = run.state
        there = {article.serial for article in state.articles.values()}
        assert {*state.links.older.tolist(), *state.links.newer.tolist()} <= there
        assert set(state.story) <= set(state.articles)
        assert all(a.pane >= run.panes.oldest for a in state.articles.values())
        linked = {*state.links.older.tolist(), *state.links.newer.tolist()}
        new = {p.article.id for p in slide.articles}
        for article in state.articles.values():
            if article.serial not in linked and article.id in new:
                assert article.id not in state.story
    assert not run.state.articles
    assert len(run.state.links) == 0


def test_two_stories_are_told_apart_and_a_lone_article_has_none() -> None:
    run = one_slide(texts(FLOOD, VOTE, FLOOD, "chess club opening", VOTE))

    assert partition(run.state.story) == {
        frozenset({"a00000", "a00002"}),
        frozenset({"a00001", "a00004"}),
    }
    assert "a00003" not in run.state.story


def test_a_slide_without_articles_changes_only_the_window() -> None:
    run = one_slide(texts(FLOOD, FLOOD))
    before = run.state

    run.advance(Slide(end=START + 2 * DAY))

    assert_same(run.state, before)


def test_nothing_at_all_is_no_story() -> None:
    run = one_slide([])

    assert not run.state.articles
    assert not run.state.story
    assert len(run.state.links) == 0


def test_one_article_is_no_story() -> None:
    run = one_slide(texts(FLOOD))

    assert list(run.state.articles) == ["a00000"]
    assert run.state.story == {}
    assert run.state.gaps.same.sum() == run.state.gaps.other.sum() == 0


def test_articles_without_a_term_are_in_no_story() -> None:
    run = one_slide(texts("", "", FLOOD, FLOOD))

    assert set(run.state.story) == {"a00002", "a00003"}


def test_articles_without_a_title_are_linked_by_their_text() -> None:
    plain = texts(FLOOD, VOTE, FLOOD)
    untitled = [
        replace(prepared, article=replace(prepared.article, title=""))
        for prepared in plain
    ]

    assert partition(one_slide(untitled).state.story) == {
        frozenset({"a00000", "a00002"})
    }


def test_articles_whose_vectors_are_zero_are_linked_by_their_words() -> None:
    blank = [
        replace(prepared, vectors=np.zeros_like(prepared.vectors))
        for prepared in texts(FLOOD, VOTE, FLOOD)
    ]

    run = one_slide(blank)

    assert partition(run.state.story) == {frozenset({"a00000", "a00002"})}
    assert np.isfinite(run.state.links.evidence["meaning"]).all()


def copies(number: int) -> list[PreparedArticle]:
    return texts(*number * [FLOOD], hours=0.01)


def test_an_article_brings_at_most_so_many_links() -> None:
    run = one_slide(copies(MAX_LINKS_PER_ARTICLE + 30), EVERY_TEXT)

    _, brought = np.unique(run.state.links.newer, return_counts=True)
    assert brought.max() == MAX_LINKS_PER_ARTICLE
    assert len(run.state.links) <= MAX_LINKS_PER_ARTICLE * len(run.state.articles)
    assert len(partition(run.state.story)) < 4  # a band of links, cut where it is weak


@pytest.mark.parametrize("parts", [Parts(), EVERY_TEXT], ids=["once", "each"])
def test_a_thousand_equal_articles_stay_within_bounds(parts: Parts) -> None:
    articles = copies(1000)
    one_slide(copies(10), parts)  # compiled by now
    begun = time.process_time()

    run = one_slide(articles, parts)

    assert time.process_time() - begun < 10
    assert len(run.state.links) <= MAX_LINKS_PER_ARTICLE * 1000
    assert len(run.state.story) == 1000


@pytest.mark.parametrize("size", [4, 7])
def test_windows_by_number_are_linked_too(size: int) -> None:
    settings = Settings(window=4 * size, slide=size)
    run = LinkRun(settings)
    for slide in cut(stream(1, [9, 9, 9], topics=2), settings):
        run.advance(slide)
        assert len(run.state.articles) <= 4 * size

    assert run.state.story


def test_a_story_keeps_its_id_while_it_grows() -> None:
    run = LinkRun()
    ids = set()
    for day in range(5):
        articles = [
            replace(
                prepared,
                article=replace(
                    prepared.article,
                    published_at=START + day * DAY + timedelta(hours=i),
                ),
            )
            for i, prepared in enumerate(texts(FLOOD, VOTE, first=2 * day))
        ]
        run.advance(Slide(end=START + (day + 1) * DAY, articles=articles))
        ids |= set(run.state.story.values())

    assert len(ids) == 2
    assert len(run.state.story) == 10
