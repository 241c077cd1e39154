"""What is common in a stream fades, and a new vocabulary does not change it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.links.running import linked
from ustory.links.background import COMMON, HALF_LIFE, Background, fading
from ustory.links.evidence.time import NODES, Gaps

SETS = st.lists(st.sets(st.integers(0, 5)), max_size=6)


def after(*slides: tuple[float, list[set[int]]]) -> Background:
    background = Background()
    for day, articles in slides:
        new = [linked(i, dict.fromkeys(terms, 2)) for i, terms in enumerate(articles)]
        background = background.after(new, day, 6)
    return background


def test_an_article_counts_half_after_a_half_life() -> None:
    background = after((100.0, [{0, 1}, {0}]), (100.0 + HALF_LIFE, [{1}]))

    assert background.articles == pytest.approx(2.0)
    assert background.df.tolist() == pytest.approx([1.0, 1.5, 0, 0, 0, 0])


@given(SETS, st.floats(0, 60), st.floats(0, 60))
def test_a_look_in_between_changes_nothing(
    articles: list[set[int]], first: float, second: float
) -> None:
    looked = after((0.0, articles), (first, []), (first + second, []))
    straight = after((0.0, articles), (first + second, []))

    assert looked.articles == pytest.approx(straight.articles)
    assert looked.df.tolist() == pytest.approx(straight.df.tolist())


@given(SETS)
def test_idf_is_that_of_the_counts(articles: list[set[int]]) -> None:
    background = after((3.0, articles))

    for term, idf in enumerate(background.idf.tolist()):
        df = sum(term in terms for terms in articles)
        expected = math.log(1 + len(articles) / df) if df else 0.0
        assert idf == pytest.approx(expected)


def test_time_that_goes_back_lets_nothing_grow() -> None:
    assert fading(-5.0) == 1.0
    background = after((10.0, [{0}]), (5.0, [{0}]))

    assert background.articles == background.df[0] == 2.0
    one, none = np.ones(NODES), np.zeros(NODES)
    assert Gaps(day=9.0, same=one).after(one, none, 2.0).same[0] == 2


@pytest.mark.parametrize("years", [1, 50, 86, 200])
def test_after_a_long_silence_every_number_is_finite(years: int) -> None:
    background = after((0.0, [{0}, {0, 1}]), (years * 365.25, [{2}] * 50))

    with np.errstate(over="raise", divide="raise", invalid="raise"):
        idf = background.idf
    assert np.isfinite(idf).all()
    assert idf[2] == pytest.approx(math.log(2), abs=0.01)


@given(SETS, st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_smaller_vocabulary_keeps_what_is_left(
    articles: list[set[int]], alive: list[bool]
) -> None:
    background = after((0.0, articles))
    kept = np.array(alive)  # of eight terms: two are younger than the counts
    moved = np.where(kept, np.cumsum(kept) - 1, -1)

    renumbered = background.renumber(moved)

    assert renumbered.articles == background.articles
    padded = [*background.df.tolist(), 0.0, 0.0]
    assert renumbered.df.tolist() == [
        df for df, here in zip(padded, alive, strict=True) if here
    ]


def test_a_term_is_remembered_while_it_is_common() -> None:
    background = after((0.0, [{0, 1}, {0}]))

    assert COMMON < 2
    assert background.common(8).tolist() == [True] + 7 * [False]
    later = after((0.0, [{0, 1}, {0}]), (HALF_LIFE, []))
    assert not later.common(6).any()
