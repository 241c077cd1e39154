"""Own themes of unassigned articles, in the context of the window, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paper.building import TERMS, article
from ustory.core.settings import Settings
from ustory.paper.themes import articles
from ustory.paper.themes.articles import OwnThemes, own_themes
from ustory.window.documents import Documents, pane_documents
from ustory.window.unassigned import Batch, UnassignedArticle

DAYS = {0: 0.0, 1: 1.0}


def window(*articles: UnassignedArticle) -> Documents:
    """Return the articles as 𝔻."""
    panes = sorted({one.pane for one in articles})
    inside = {
        pane: pane_documents([one for one in articles if one.pane == pane])
        for pane in panes
    }
    return Documents().add(inside, len(TERMS))


def theme(batch: Batch, own: OwnThemes, row: int) -> dict[str, float]:
    """Return the theme of an article written out, in the order of its terms."""
    return {
        TERMS[batch.terms[entry]]: weight
        for entry, of, weight in zip(own.entry, own.article, own.weight, strict=True)
        if of == row
    }


OLD = article("old", 0, {"flood": 1, "people": 1}, {"people": 1})
NEW = article("new", 1, {"people": 1})


def test_an_own_theme_looks_at_all_articles_of_the_window() -> None:
    batch = Batch([OLD, NEW])

    own = own_themes(batch, window(OLD, NEW), DAYS, Settings(mode="paper"))

    # δ_k = 2, t_c = 1: e^(−1/2) = 0.606531; |𝔻| = 2
    # flood  1 · 0.606531 · log(3/2 + 1); people  2 · 0.606531 · log(3/3 + 1)
    assert theme(batch, own, 0) == pytest.approx(
        {"flood": 0.555759, "people": 0.840829}, abs=1e-5
    )
    assert theme(batch, own, 1) == pytest.approx({"people": math.log(2)})


def test_an_assigned_article_counts_though_it_is_not_in_the_batch() -> None:
    batch = Batch([OLD])

    own = own_themes(batch, window(OLD, NEW), DAYS, Settings(mode="paper", keywords=1))

    # two articles have people, one has flood
    assert theme(batch, own, 0) == pytest.approx({"people": 0.840829}, abs=1e-5)


def test_ties_go_to_the_term_that_comes_first_in_the_article() -> None:
    even = article("even", 0, {"tank": 1, "alarm": 1, "river": 1})
    batch = Batch([even, NEW])

    own = own_themes(batch, window(even, NEW), DAYS, Settings(mode="paper", keywords=2))

    assert list(theme(batch, own, 0)) == ["tank", "alarm"]
    assert list(theme(batch, own, 1)) == ["people"]


def test_a_heavier_term_is_kept_before_those_that_tie() -> None:
    told = article("told", 0, {"tank": 1, "alarm": 1, "river": 2})
    batch = Batch([told])

    own = own_themes(batch, window(told), DAYS, Settings(mode="paper", keywords=2))

    # hits stay in the order of the article's terms
    assert list(theme(batch, own, 0)) == ["tank", "river"]
    assert own.entry.tolist() == [0, 2]


def test_bm25l_by_hand() -> None:
    batch = Batch([OLD])
    settings = Settings(mode="paper", scoring="bm25l", time_aware=False)

    own = own_themes(batch, window(OLD, NEW), DAYS, settings)

    # lengths 3 and 1, mean 2; 0.25 + 0.75·3/2 = 1.375
    # flood   c = 1/1.375 + 0.5; 2.2·c/(1.2 + c) · log(3/1.5)
    # people  c = 2/1.375 + 0.5; 2.2·c/(1.2 + c) · log(3/2.5)
    assert theme(batch, own, 0) == pytest.approx(
        {"flood": 0.771029, "people": 0.248525}, abs=1e-5
    )


def test_an_article_without_terms_has_no_theme() -> None:
    silent = article("silent", 1, {})
    batch = Batch([OLD, silent, NEW])

    own = own_themes(
        batch, window(OLD, silent, NEW), DAYS, Settings(mode="paper", keywords=1)
    )

    assert own.article.tolist() == [0, 2]


drawn = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.dictionaries(st.sampled_from(TERMS), st.integers(1, 3), min_size=1),
    ),
    min_size=1,
    max_size=5,
)


@given(drawn, st.integers(1, 7))
def test_the_compiled_loop_equals_whole_arrays(
    told: list[tuple[int, dict[str, int]]], keywords: int
) -> None:
    batch = Batch([article(f"a{i}", p, counts) for i, (p, counts) in enumerate(told)])
    settings = Settings(mode="paper", keywords=keywords)
    documents = window(*batch.articles)

    found = own_themes(batch, documents, DAYS, settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(articles, "tfidf", None)  # then no scoring is a known one
        expected = own_themes(batch, documents, DAYS, settings)
    assert found.entry.tolist() == expected.entry.tolist()
    assert found.article.tolist() == expected.article.tolist()
    np.testing.assert_array_equal(found.weight, expected.weight)
