"""One pass over an article's stories gives what the list of all pairs gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paper.building import TERMS, VOCABULARY, article, pane, story
from ustory.core.settings import Settings
from ustory.paper.assignment import assign as assign_fast
from ustory.paper.assignment.assign import Judged, View, judge
from ustory.paper.assignment.pairs import (
    candidate_pairs,
    find_all,
    own_pairs,
    pairs_with,
    theme_index,
)
from ustory.paper.assignment.similarity import SeenFrom
from ustory.paper.embedding.story import Embedder, story_representations
from ustory.paper.themes.stories import story_themes
from ustory.window.unassigned import Batch, UnassignedArticle

DAYS = {0: 0.0, 1: 1.0}
DIVERGENCES = ("js", "js-root", "js-root-e", "kl", "emd")

counted = st.dictionaries(st.sampled_from(TERMS), st.integers(1, 4), min_size=1)
told = st.lists(st.tuples(st.integers(0, 1), counted), min_size=1, max_size=6)
written = st.lists(
    st.tuples(st.integers(0, 1), st.lists(counted, min_size=1, max_size=4)),
    min_size=1,
    max_size=4,
)


def view_of(
    stories: Sequence[tuple[int, Mapping[str, int]]], settings: Settings
) -> tuple[View, Embedder]:
    made = [
        story({p: pane(counts, vector=direction(number))})
        for number, (p, counts) in enumerate(stories)
    ]
    themes, _ = story_themes(made, DAYS, VOCABULARY, settings)
    embedder = Embedder(settings, None, {})
    names = tuple(f"s{number}" for number in range(len(made)))
    index = theme_index(themes, len(VOCABULARY))
    seen = SeenFrom.of(story_representations(made, DAYS, [0, 1], settings))
    return View.of(names, themes, index, seen, embedder), embedder


def direction(number: int) -> tuple[float, ...]:
    """Return where a story points; no two of the first few point alike."""
    return (1.0, 0.3 * number, 0.7 / (number + 1), 0.2)


def opened(
    articles: Sequence[tuple[int, Sequence[Mapping[str, int]]]],
) -> list[UnassignedArticle]:
    return [
        article(f"a{number}", p, *sentences)
        for number, (p, sentences) in enumerate(articles)
    ]


def assert_same(found: Judged, expected: Judged) -> None:
    for field in fields(found.verdicts):
        ours = getattr(found.verdicts, field.name)
        theirs = getattr(expected.verdicts, field.name)
        np.testing.assert_allclose(ours, theirs, atol=2e-6, err_msg=field.name)
    for name in ("article", "story", "hit", "keyword", "weight", "share"):
        ours, theirs = (getattr(one.joining, name) for one in (found, expected))
        assert ours.tolist() == theirs.tolist(), name
    np.testing.assert_array_equal(found.vectors, expected.vectors)


@given(told, written, st.sampled_from(DIVERGENCES), st.integers(1, 7))
def test_one_pass_equals_all_pairs(
    stories: list[tuple[int, dict[str, int]]],
    articles: list[tuple[int, list[dict[str, int]]]],
    divergence: str,
    keywords: int,
) -> None:
    settings = Settings(mode="paper", divergence=divergence, keywords=keywords)
    view, embedder = view_of(stories, settings)
    batch = Batch(opened(articles))
    assert view.alone is not None

    found = judge(batch, view, embedder)

    assert_same(found, judge(batch, replace(view, alone=None), embedder))


def test_other_strategies_have_no_compiled_loop() -> None:
    settings = Settings(mode="paper", representation="IndSentMean")
    view, _ = view_of([(0, {"flood": 2})], settings)
    assert view.alone is None


@given(told, written)
def test_pairs_with_one_story_are_those_among_all_pairs(
    stories: list[tuple[int, dict[str, int]]],
    articles: list[tuple[int, list[dict[str, int]]]],
) -> None:
    view, _ = view_of(stories, Settings(mode="paper", keywords=3))
    batch = Batch(opened(articles))
    own = np.arange(len(batch)) % (len(stories) + 1) - 1
    every = candidate_pairs(batch, view.themes, view.index)
    expected = every.only(every.story == own[every.article])

    found = own_pairs(batch, view.themes, own, view.index)

    for name in ("article", "story", "hit", "keyword", "weight", "share"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    again = pairs_with(find_all(batch, view.index), view.themes, own)
    assert again.article.tolist() == found.article.tolist()


ALIKE = [(0, {"flood": 2, "tank": 1})] * 9
"""Stories of which any sample stands for all."""


def test_a_sample_of_stories_stands_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings(mode="paper")
    view, embedder = view_of([*ALIKE, (0, {"flood": 9, "river": 1})], settings)
    rows = np.tile(np.array([0.6, 0.8, 0, 0], dtype=np.float32), (20, 1))
    view = replace(view, seen_from=replace(view.seen_from, rows=rows))
    batch = Batch(opened([(0, [{"flood": 3, "river": 1}]), (1, [{"tank": 1}])]))
    exact = judge(batch, view, embedder).verdicts
    monkeypatch.setattr(assign_fast, "MANY_STORIES", 5)
    monkeypatch.setattr(assign_fast, "MAX_COMPARED", 2)
    monkeypatch.setattr(assign_fast, "SAMPLED", 3)

    found = judge(batch, view, embedder).verdicts

    assert found.best.tolist() == exact.best.tolist() == [9, 0]
    np.testing.assert_allclose(found.similarity, exact.similarity)
    np.testing.assert_allclose(found.excess, exact.excess)


def test_few_stories_are_never_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    view, embedder = view_of(ALIKE, Settings(mode="paper"))
    batch = Batch(opened([(0, [{"flood": 3}])]))
    exact = judge(batch, view, embedder).verdicts
    monkeypatch.setattr(assign_fast, "MAX_COMPARED", 1)
    monkeypatch.setattr(assign_fast, "SAMPLED", 1)

    found = judge(batch, view, embedder).verdicts

    assert found.excess.tolist() == exact.excess.tolist()
