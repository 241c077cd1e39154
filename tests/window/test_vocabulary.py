"""The vocabulary numbers terms, and forgets what left the window."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ustory.text.terms import count_terms
from ustory.window.vocabulary import Vocabulary

words = st.sampled_from(["flood", "rescue", "river", "vote", "ballot", "storm"])
articles = st.lists(st.lists(st.lists(words, max_size=5), max_size=3), max_size=6)


@given(articles)
def test_a_number_always_means_the_same_term(texts: list[list[list[str]]]) -> None:
    vocabulary = Vocabulary()
    counts = [count_terms(text) for text in texts]
    for _ in range(2):  # the second time every term is known
        vocabulary, found = vocabulary.grown(counts)
        for article, numbers in zip(counts, found, strict=True):
            assert tuple(map(vocabulary.term, numbers.tolist())) == article.terms
    terms = {term for article in counts for term in article.terms}
    assert len(vocabulary) == len(terms)


@given(articles, articles)
def test_forgetting_keeps_the_living_and_loses_the_rest(
    gone: list[list[list[str]]], alive: list[list[list[str]]]
) -> None:
    vocabulary, _ = Vocabulary().grown([count_terms(text) for text in gone])
    counts = [count_terms(text) for text in alive]
    vocabulary, numbers = vocabulary.grown(counts)
    living = np.zeros(len(vocabulary), dtype=bool)
    for part in numbers:
        living[part] = True
    kept, moved = vocabulary.keep(living)
    for article, part in zip(counts, numbers, strict=True):
        assert tuple(map(kept.term, moved[part].tolist())) == article.terms
    assert len(kept) == living.sum()
    assert set(kept.words) == {word for article in counts for word in article.words}
    assert (moved[~living] == -1).all()


def test_new_terms_are_numbered_in_order_of_appearance() -> None:
    counts = [count_terms([["zebra", "ant"]]), count_terms([["bee"]])]
    _, (first, second) = Vocabulary().grown(counts)
    assert first.tolist() == [0, 1, 2]
    assert second.tolist() == [3]


def test_growing_leaves_the_older_vocabulary_as_it_was() -> None:
    older, _ = Vocabulary().grown([count_terms([["flood"]])])
    newer, _ = older.grown([count_terms([["flood", "storm"]])])
    assert (len(older), len(newer)) == (1, 3)
    assert list(older.words) == ["flood"]
