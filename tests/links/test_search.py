"""The search in large windows: what it finds is what comparing all pairs finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from tests.engine.sameness import assert_same
from tests.links.running import LinkRun, linked
from tests.reference.strategies import DAY, cut, stream
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.links import pairing
from ustory.links import word_candidates as module
from ustory.links.article import LinkedArticle
from ustory.links.word_candidates import (
    CLOSEST,
    Nearness,
    candidates,
    search,
    shards,
)
from ustory.links.word_scan import FoundPairs

TERMS = 8
IDF = np.linspace(0.5, 2.0, TERMS)
COUNTS = st.lists(
    st.dictionaries(st.integers(0, TERMS - 1), st.integers(1, 4)), max_size=40
)
THREE_DAYS = Settings(window=3 * DAY)


def found_in(articles: Sequence[LinkedArticle], new: int) -> FoundPairs:
    window = Nearness.of(articles, new, IDF)
    parts = [search(shard, window) for shard in shards(len(articles), new)]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return FoundPairs(columns[0], columns[1], columns[2], columns[3])


def all_pairs(articles: Sequence[LinkedArticle], new: int) -> FoundPairs:
    rows = np.arange(len(articles) - new, len(articles))
    return candidates(articles, rows, IDF)


@given(COUNTS, st.integers(1, 40))
def test_what_is_found_is_what_comparing_all_pairs_finds(
    counts: list[dict[int, int]], new: int
) -> None:
    articles = [linked(i, terms, title=[0, 3]) for i, terms in enumerate(counts)]
    new = min(new, len(articles))
    if not new:
        return

    newer, older, near, early = found_in(articles, new)

    every = all_pairs(articles, new)
    assert newer.tolist() == every.newer.tolist()
    assert older.tolist() == every.older.tolist()
    assert near.tolist() == every.body.tolist()
    assert early.tolist() == pytest.approx(every.lead.tolist(), abs=1e-6)


def test_the_nearest_are_found_where_more_are_near_than_are_compared() -> None:
    # the more of the term that few have, the nearer to the last one
    texts = [{0: 1, 1 + i % 3: 1, 7: 1 + i % 5} for i in range(3 * CLOSEST)]
    articles = [linked(i, terms) for i, terms in enumerate([*texts, {0: 1, 7: 9}])]

    _, older, near, _ = found_in(articles, 1)

    every = all_pairs(articles, 1)
    best = np.sort(every.body)[::-1][:CLOSEST]
    assert len(older) == CLOSEST
    assert sorted(near.tolist(), reverse=True) == best.tolist()
    assert older.tolist() == sorted(older.tolist())


def test_of_equally_near_articles_the_earliest_are_found() -> None:
    articles = [linked(i, {0: 1, 5: 2}) for i in range(2 * CLOSEST)]

    _, older, _, _ = found_in(articles, 1)

    assert older.tolist() == list(range(CLOSEST))


def test_rare_terms_are_read_first_and_common_ones_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "READ", 4)
    articles = [linked(i, {0: 1, 1: 1}) for i in range(9)]
    articles += [linked(9, {0: 1, 6: 1}), linked(10, {0: 1, 1: 1, 6: 1})]

    newer, older, _, _ = found_in(articles, 1)

    assert newer.tolist() == [10]
    assert older.tolist() == [9]


@pytest.mark.parametrize("size", [1, 2, 7])
def test_shards_of_any_size_find_the_same(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    articles = [linked(i, {i % 5: 1, 5 + i % 3: 2}) for i in range(30)]
    expected = found_in(articles, 20)
    monkeypatch.setattr(module, "SHARD", size)

    for one, other in zip(found_in(articles, 20), expected, strict=True):
        assert one.tolist() == other.tolist()


def slides_of(seed: int, counts: list[int]) -> tuple[Slide, ...]:
    return cut(stream(seed, counts, topics=4), THREE_DAYS, 0)


@limits(max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 10), min_size=2, max_size=5))
def test_a_large_window_tells_the_same_stories(seed: int, counts: list[int]) -> None:
    one, other = LinkRun(THREE_DAYS), LinkRun(THREE_DAYS)
    for slide in slides_of(seed, counts):
        one.advance(slide)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pairing, "SMALL", 0)
            other.advance(slide)

        assert_same(one.state, other.state)
