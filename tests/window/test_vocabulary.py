"""The vocabulary numbers terms, and forgets what left the window."""

from __future__ import annotations

import pickle
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ustory.text.counting import count_terms
from ustory.window import vocabulary as vocabulary_module
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


@given(articles, articles, st.sampled_from([1, 3, 1 << 20]))
def test_forgetting_keeps_the_living_and_loses_the_rest(
    gone: list[list[list[str]]], alive: list[list[list[str]]], block: int
) -> None:
    vocabulary, _ = Vocabulary().grown([count_terms(text) for text in gone])
    counts = [count_terms(text) for text in alive]
    vocabulary, numbers = vocabulary.grown(counts)
    living = np.zeros(len(vocabulary), dtype=bool)
    for part in numbers:
        living[part] = True
    with patch.object(vocabulary_module, "_BLOCK", block):
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


@given(st.lists(articles, max_size=5), st.integers(0, 4))
def test_numbers_are_those_of_a_plain_dictionary(
    slides: list[list[list[list[str]]]], tried: int
) -> None:
    vocabulary, plain = Vocabulary(), dict[str, int]()
    for number, texts in enumerate(slides):
        counts = [count_terms(text) for text in texts]
        if number == tried:  # a slide that failed, or a question
            vocabulary.grown([count_terms([["quake", "flood"]]), *counts])
        vocabulary, found = vocabulary.grown(counts)
        for article, numbers in zip(counts, found, strict=True):
            expected = [plain.setdefault(term, len(plain)) for term in article.terms]
            assert numbers.tolist() == expected
    assert vocabulary.written(np.arange(len(vocabulary))) == list(plain)
    assert set(vocabulary.words) == {term for term in plain if " " not in term}


def test_two_vocabularies_grown_from_one_do_not_meet() -> None:
    root, _ = Vocabulary().grown([count_terms([["flood"]])])
    one, _ = root.grown([count_terms([["storm", "rain"]])])
    other, (numbers,) = root.grown([count_terms([["vote"]])])
    again, _ = one.grown([count_terms([["rain", "storm"]])])

    assert numbers.tolist() == [1]
    assert other.written(np.arange(2)) == ["flood", "vote"]
    known = ["flood", "storm", "storm rain", "rain"]
    assert one.written(np.arange(len(one))) == known
    assert again.written(np.arange(len(again))) == [*known, "rain storm"]
    assert list(root.words) == ["flood"]


def test_what_a_dropped_vocabulary_added_is_gone() -> None:
    root, _ = Vocabulary().grown([count_terms([["flood"]])])
    for word in ("storm", "rain", "vote"):
        grown, (numbers,) = root.grown([count_terms([[word]])])
        assert numbers.tolist() == [1]
        assert grown.term(1) == word
        del grown
    assert len(root._store.words) <= 2


def test_many_terms_outgrow_every_array() -> None:
    vocabulary, seen = Vocabulary(), 0
    for size in (10, 500, 3000, 3000):
        words_of = [[f"w{n}" for n in range(seen, seen + size)]]
        vocabulary, (numbers,) = vocabulary.grown([count_terms(words_of)])
        terms = vocabulary.written(numbers)
        assert terms == list(count_terms(words_of).terms)
        seen += size
    assert len(vocabulary) == 2 * seen - 4


def test_a_pickled_vocabulary_gives_the_same_numbers() -> None:
    counts = [count_terms([["flood", "storm"], ["rain"]])]
    vocabulary, (numbers,) = Vocabulary().grown(counts)

    copy = pickle.loads(pickle.dumps(vocabulary))

    assert list(copy.words) == list(vocabulary.words)
    assert copy.grown(counts)[1][0].tolist() == numbers.tolist()
