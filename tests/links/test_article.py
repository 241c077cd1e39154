"""An article as links see it: its terms in order, its title, its lead, its mean."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.likeness import told
from tests.reference.strategies import START, prepare
from ustory.core.article import Article, PreparedArticle
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.sentence_terms import in_order
from ustory.text.counting import count_terms
from ustory.window.panes import day_of
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

WORDS = st.sampled_from(["flood", "river", "vote", "senate", "goal"])
LEMMAS = st.lists(st.lists(WORDS, max_size=5), min_size=1, max_size=7)


def linked(
    *articles: PreparedArticle, vocabulary: Vocabulary | None = None, first: int = 0
) -> tuple[list[LinkedArticle], Vocabulary]:
    counts = [prepared.counts for prepared in articles]
    grown, numbers = (vocabulary or Vocabulary()).grown(counts)
    counted = [open_article(p, 0, n) for p, n in zip(articles, numbers, strict=True)]
    return linked_articles(
        in_order(list(zip(articles, counted, strict=True))), first
    ), grown


def without_title(lemmas: list[list[str]]) -> PreparedArticle:
    prepared = prepare("a", START, lemmas)
    return PreparedArticle(
        article=Article(id="a", published_at=START, title="  ", text="all of it"),
        sentences=prepared.sentences,
        counts=prepared.counts,
        vectors=prepared.vectors,
    )


@given(LEMMAS, st.booleans())
def test_terms_title_and_lead_are_those_of_the_sentences(
    lemmas: list[list[str]], titled: bool
) -> None:
    prepared = prepare("a", START, lemmas) if titled else without_title(lemmas)
    # a vocabulary that has some of the words already, in another order
    _, before = linked(prepare("b", START, [["goal", "vote", "goal"]]))

    (article,), vocabulary = linked(prepared, vocabulary=before)

    expected = told(prepared, 0, 0.0, 0)
    terms = vocabulary.written(article.terms)
    assert (np.diff(article.terms) > 0).all()
    assert dict(zip(terms, article.tf.tolist(), strict=True)) == expected.terms
    named = {term for term, here in zip(terms, article.in_title, strict=True) if here}
    assert named == expected.title
    lead = vocabulary.written(article.terms[article.lead])
    assert dict(zip(lead, article.lead_tf.tolist(), strict=True)) == expected.lead


@given(LEMMAS)
def test_cells_are_those_of_the_terms_in_their_new_order(
    lemmas: list[list[str]],
) -> None:
    _, before = linked(prepare("b", START, [["goal", "vote", "goal"]]))
    prepared = prepare("a", START, lemmas)

    (article,), vocabulary = linked(prepared, vocabulary=before)

    owner = np.repeat(article.terms, article.cells)
    found = {
        (vocabulary.term(int(term)), sentence): count
        for term, sentence, count in zip(
            owner, article.sentence.tolist(), article.count.tolist(), strict=True
        )
    }
    counts = prepared.counts
    assert found == {
        (counts.terms[term], sentence): count
        for term, sentence, count in zip(
            counts.term, counts.sentence.tolist(), counts.count.tolist(), strict=True
        )
    }


def test_a_title_without_a_term_marks_none() -> None:
    (article,), _ = linked(prepare("a", START, [[], ["flood", "river"]]))

    assert not article.in_title.any()
    assert len(article.lead) == 2


def test_an_article_without_any_term_is_empty_and_still_means_something() -> None:
    (article,), _ = linked(prepare("a", START, [[], []]))

    assert len(article.terms) == len(article.lead) == 0
    assert article.length == 0
    assert np.linalg.norm(article.vector) == pytest.approx(1.0, abs=1e-6)


def test_sentence_vectors_that_cancel_out_mean_nothing() -> None:
    prepared = PreparedArticle(
        article=Article(id="a", published_at=START, title="up and down"),
        sentences=("up", "down"),
        counts=count_terms([["up"], ["down"]]),
        vectors=np.array([[1, 0], [-1, 0]], dtype=np.float16),
    )

    (article,), _ = linked(prepared)

    assert article.vector.tolist() == [0.0, 0.0]


@given(st.permutations(range(6)))
def test_serial_numbers_follow_time_then_id_whatever_the_order(
    order: list[int],
) -> None:
    articles = [
        prepare(f"a{9 - i}", START + timedelta(hours=i // 2), [["flood"]])
        for i in range(6)
    ]

    found, _ = linked(*[articles[i] for i in order], first=40)

    assert [a.id for a in found] == ["a8", "a9", "a6", "a7", "a4", "a5"]
    assert [a.serial for a in found] == list(range(40, 46))
    assert [a.day - found[0].day for a in found] == pytest.approx(
        [0, 0, 1 / 24, 1 / 24, 2 / 24, 2 / 24]
    )


def test_time_goes_by_when_an_article_of_a_doubtful_date_was_fetched() -> None:
    claimed, fetched = START - timedelta(days=5), START + timedelta(hours=3)
    prepared = prepare("a", claimed, [["flood", "river"]])
    sure = replace(prepared.article, fetched_at=fetched)

    (by_claim,), _ = linked(replace(prepared, article=sure))
    (by_fetch,), _ = linked(replace(prepared, article=replace(sure, doubtful=True)))

    assert by_claim.day == day_of(claimed)
    assert by_fetch.day == day_of(fetched)
