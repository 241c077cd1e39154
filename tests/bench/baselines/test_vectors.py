from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from ustory_bench.baselines.document import Document
from ustory_bench.baselines.vectors import (
    document_frequencies,
    sentence_rows,
    terms,
    tfidf_rows,
)


def document(name: str, words: dict[str, int], title: dict[str, int]) -> Document:
    return Document(
        id=name,
        pane=0,
        day=0.0,
        words=words,
        pairs={},
        title=title,
        lead={},
        names={},
        vector=np.array([1.0, 0.0], dtype=np.float32),
    )


FLOOD = document("flood", {"river": 1, "town": 2}, {"river": 1})
RAIN = document("rain", {"rain": 1, "river": 1}, {"rain": 1})


def test_a_row_is_log_tf_times_idf_made_unit() -> None:
    # n = 2; df: rain 1, river 2, town 1, so idf = ln 3, ln 2, ln 3
    rows = tfidf_rows([FLOOD, RAIN]).toarray()

    river, town = log(2), (1 + log(2)) * log(3)  # tf of town is 2
    length = sqrt(river**2 + town**2)
    np.testing.assert_allclose(rows[0], [0, river / length, town / length])
    length = sqrt(log(3) ** 2 + log(2) ** 2)
    np.testing.assert_allclose(rows[1], [log(3) / length, log(2) / length, 0])


def test_words_of_the_title_weigh_as_often_as_asked() -> None:
    rows = tfidf_rows([FLOOD, RAIN], title=2.0).toarray()

    # river is in the title of the first only, rain in that of the second
    assert rows[0, 1] / rows[0, 2] == pytest.approx(
        2 * log(2) / ((1 + log(2)) * log(3))
    )
    assert rows[1, 0] / rows[1, 1] == pytest.approx(2 * log(3) / log(2))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)


def test_a_background_gives_its_own_columns_and_idf() -> None:
    # town is not in the background, rain is in 1 of its 9 and river in 3
    rows = tfidf_rows([FLOOD, RAIN], df={"rain": 1, "river": 3}, total=9).toarray()

    length = sqrt(log(10) ** 2 + log(4) ** 2)
    np.testing.assert_allclose(rows, [[0.0, 1.0], [log(10) / length, log(4) / length]])


def test_an_article_without_words_is_a_zero_row() -> None:
    empty = document("empty", {}, {})

    assert not tfidf_rows([empty]).toarray().any()
    np.testing.assert_allclose(
        np.linalg.norm(tfidf_rows([empty, FLOOD]).toarray(), axis=1), [0, 1]
    )


def test_documents_are_counted_once_per_term_in_alphabetical_order() -> None:
    df = document_frequencies([FLOOD, RAIN], terms)

    assert list(df.items()) == [("rain", 1), ("river", 2), ("town", 1)]


def test_sentence_rows_are_the_vectors_in_order() -> None:
    rows = sentence_rows([FLOOD, RAIN])

    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, [[1, 0], [1, 0]])
