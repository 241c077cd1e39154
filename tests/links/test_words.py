"""Word cosines: those of the formula, of older articles only, under any numbering."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.links.running import linked
from tests.reference.likeness import cosine
from ustory.core.arrays import Vector
from ustory.links.article import TITLE, LinkedArticle
from ustory.links.word_candidates import FLOOR, candidates
from ustory.links.word_scan import FoundPairs, product

TERMS = 6
IDF = np.linspace(0.5, 2.0, TERMS)
COUNTS = st.lists(
    st.dictionaries(st.integers(0, TERMS - 1), st.integers(1, 4)), max_size=9
)


def found_in(
    articles: Sequence[LinkedArticle], new: int, idf: Vector = IDF
) -> FoundPairs:
    rows = np.arange(len(articles) - new, len(articles))
    return candidates(articles, rows, idf)


def weights(article: LinkedArticle) -> dict[str, float]:
    return {
        str(term): (1 + math.log(tf)) * IDF[term] * (TITLE if named else 1.0)
        for term, tf, named in zip(
            article.terms, article.tf, article.in_title, strict=True
        )
    }


@given(COUNTS, st.integers(0, 9))
def test_pairs_are_those_of_the_formula(counts: list[dict[int, int]], new: int) -> None:
    articles = [linked(i, terms, title=[0, 3]) for i, terms in enumerate(counts)]
    new = min(new, len(articles))

    found = found_in(articles, new)

    expected = {}
    for row in range(len(articles) - new, len(articles)):
        for other in range(row):
            near = cosine(weights(articles[row]), weights(articles[other]))
            if near >= FLOOR:
                expected[row, other] = near
    pairs = list(zip(found.newer.tolist(), found.older.tolist(), strict=True))
    assert pairs == list(expected)
    assert found.body.tolist() == pytest.approx(list(expected.values()), abs=1e-6)


def test_equal_texts_have_a_cosine_of_one_in_body_and_lead() -> None:
    found = found_in([linked(i, {0: 2, 4: 1}) for i in range(3)], 2)

    assert found.newer.tolist() == [1, 2, 2]
    assert found.older.tolist() == [0, 0, 1]
    assert found.body == pytest.approx(1.0, abs=1e-6)
    assert found.lead == pytest.approx(1.0, abs=1e-6)


def test_a_term_of_the_title_weighs_double() -> None:
    plain = [linked(0, {0: 1, 1: 1}), linked(1, {0: 1, 2: 1})]
    titled = [linked(0, {0: 1, 1: 1}, title=[0]), linked(1, {0: 1, 2: 1}, title=[0])]
    even = np.ones(TERMS)

    assert found_in(plain, 1, idf=even).body[0] == pytest.approx(0.5)
    assert found_in(titled, 1, idf=even).body[0] == pytest.approx(0.8)


def test_articles_without_terms_or_with_words_of_no_weight_have_no_pairs() -> None:
    nothing = [linked(0, {}), linked(1, {}), linked(2, {0: 1}), linked(3, {0: 2})]

    found = found_in(nothing, 4, idf=np.zeros(TERMS))

    assert len(found.newer) == len(found.body) == 0


def test_no_articles_have_no_pairs() -> None:
    assert len(found_in([], 0).newer) == 0


@given(COUNTS, st.sets(st.integers(0, 11), min_size=TERMS, max_size=TERMS))
def test_another_numbering_in_the_same_order_changes_no_bit(
    counts: list[dict[int, int]], numbers: set[int]
) -> None:
    articles = [linked(i, terms) for i, terms in enumerate(counts)]
    moved = np.array(sorted(numbers), dtype=np.int32)
    renumbered = [article.renumber(moved) for article in articles]
    idf = np.zeros(12)
    idf[moved] = IDF

    found = found_in(articles, len(articles))
    again = found_in(renumbered, len(articles), idf=idf)

    for name in ("newer", "older", "body", "lead"):
        assert getattr(found, name).tolist() == getattr(again, name).tolist()


def test_the_lead_is_compared_by_itself() -> None:
    one, other = linked(0, {0: 1, 1: 1}), linked(1, {0: 1, 2: 1})
    apart = replace(
        other,
        lead=np.array([1], dtype=np.int32),
        lead_tf=np.array([1], dtype=np.int32),
    )

    assert found_in([one, other], 1).lead[0] > 0
    assert found_in([one, apart], 1).lead[0] == 0


@given(st.randoms(use_true_random=False), st.integers(0, 4), st.integers(0, 400))
def test_a_product_is_the_same_whichever_row_is_long(
    rng: random.Random, few: int, many: int
) -> None:
    rows = []
    for count in (few, many):
        terms = np.array(sorted(rng.sample(range(450), count)), dtype=np.int32)
        rows.append((terms, np.array([rng.random() for _ in terms], dtype=np.float64)))
    (one, here), (other, there) = rows
    both, at, place = np.intersect1d(one, other, return_indices=True)
    expected = 0.0
    for i in range(len(both)):
        expected += here[at[i]] * there[place[i]]

    assert product(one, here, other, there) == expected
    assert product(other, there, one, here) == expected
