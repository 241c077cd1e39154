"""Sentences of an article by their theme (Def 4.2, Eq. 2), worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from tests.paper.building import TERMS, article
from ustory.paper.embedding.article import (
    Hits,
    plain_means,
    relevance,
    sentence_weights,
    thematic_means,
    theme_relevance,
)
from ustory.window.unassigned import Batch

TOLD = article("told", 0, {"flood": 2, "rescue": 1}, {"flood": 1, "die": 1})
"""Two sentences, the first two axes."""
OTHER = article("other", 0, {"tank": 1}, {"river": 1}, {"tank": 1})
BATCH = Batch([OTHER, TOLD])
HEAVY = ((0, "flood", 0.5), (0, "rescue", 3.0), (2, "die", 2.0))
"""Hits of three rows, the second without any."""


def scores(*hits: tuple[int, str, float], rows: int) -> sparse.csr_array:
    """Return the relevance for hits (row, keyword, weight), all of article TOLD."""
    return relevance(BATCH, of_told(*hits, rows=rows))


def of_told(*hits: tuple[int, str, float], rows: int) -> Hits:
    """Return hits (row, keyword, weight), all of article TOLD."""
    terms = [TERMS[term] for term in TOLD.terms.tolist()]
    sizes = [sum(row == i for row, _, _ in hits) for i in range(rows)]
    return Hits(
        np.ones(rows, dtype=np.int64),
        np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
        np.array([terms.index(term) for _, term, _ in hits], dtype=np.int32),
        np.array([weight for _, _, weight in hits]),
    )


def test_a_sentence_is_as_relevant_as_its_keywords_are_heavy() -> None:
    # sentences 0 to 2 are of the other article
    found = scores((0, "flood", 0.5), (0, "rescue", 3.0), (1, "die", 1.0), rows=2)

    # row 0: 2·0.5 + 1·3 and 1·0.5; row 1: nothing and 1·1
    assert found.toarray().tolist() == [[0, 0, 0, 4.0, 0.5], [0, 0, 0, 0, 1.0]]


def test_a_row_without_a_keyword_is_empty() -> None:
    found = scores((1, "die", 1.0), rows=3)

    assert np.diff(found.indptr).tolist() == [0, 1, 0]
    assert scores(rows=2).toarray().tolist() == np.zeros((2, 5)).tolist()


def test_weights_sum_to_1_and_nothing_stays_nothing() -> None:
    found = scores(*HEAVY, rows=3)

    weights = sentence_weights(found, None).toarray()
    plain = theme_relevance(BATCH, of_told(*HEAVY, rows=3)).weight.reshape(3, 2)

    assert weights[0].tolist() == pytest.approx([0, 0, 0, 4 / 4.5, 0.5 / 4.5])
    assert weights[1].tolist() == [0, 0, 0, 0, 0]
    assert weights[2].tolist() == [0, 0, 0, 0, 1]
    assert plain == pytest.approx(weights[:, 3:])


def test_an_article_is_the_mean_of_its_sentences_by_relevance() -> None:
    means = thematic_means(BATCH, of_told(*HEAVY, rows=3))

    assert means.dtype == np.float32
    # rows: by relevance; without a keyword all sentences alike; one sentence only
    assert means == pytest.approx(
        np.array([[4 / 4.5, 0.5 / 4.5, 0, 0], [0.5, 0.5, 0, 0], [0, 1, 0, 0]])
    )


def test_only_the_most_relevant_sentences_share_the_weight() -> None:
    # sentence 4 has 1·3 of die and 1·0.5 of flood, sentence 3 has 2·0.5
    found = scores((0, "flood", 0.5), (0, "die", 3.0), rows=1)

    assert sentence_weights(found, 1).toarray().tolist() == [[0, 0, 0, 0, 1]]
    assert sentence_weights(found, 2).toarray()[0].tolist() == pytest.approx(
        [0, 0, 0, 1 / 4.5, 3.5 / 4.5]
    )


def test_of_equally_relevant_sentences_the_earlier_counts() -> None:
    found = scores((0, "rescue", 1.0), (0, "die", 1.0), rows=1)

    assert sentence_weights(found, 1).toarray().tolist() == [[0, 0, 0, 1, 0]]


def test_the_plain_mean_is_of_all_sentences_or_the_first() -> None:
    means = plain_means(BATCH, None)

    assert means.dtype == np.float32
    assert means == pytest.approx(
        np.array([[1 / 3, 1 / 3, 1 / 3, 0], [1 / 2, 1 / 2, 0, 0]])
    )
    assert plain_means(BATCH, 1).tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]
