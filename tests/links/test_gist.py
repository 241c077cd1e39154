"""What the articles of a language share is learned, fades, and is taken out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.links.running import linked
from ustory.links.article import LinkedArticle
from ustory.links.background import HALF_LIFE
from ustory.links.evidence.gist import table_of
from ustory.links.gists import KNOWN, RARE, Gists, is_sound
from ustory.links.near_lists import LENGTH
from ustory.links.near_vectors import quantised


def article(serial: int, lang: int, *gist: float) -> LinkedArticle:
    row = np.array(gist) / np.linalg.norm(gist)
    column = np.append(np.int16(lang), quantised(row[None])[0])
    return replace(linked(serial, {1: 1}), columns={"gist": column})


def many(count: int, lang: int, *gist: float) -> list[LinkedArticle]:
    return [article(serial, lang, *gist) for serial in range(count)]


def test_what_all_articles_of_a_language_share_counts_no_more() -> None:
    known = Gists().after(many(1000, 5, 1, 0, 0), 1.0)
    one, other = article(0, 5, 1, 1, 0), article(1, 5, 1, 0, 1)

    before = table_of([one.columns["gist"], other.columns["gist"]])[:, 1:] / LENGTH
    after = known.rows([one, other]).vectors

    assert before[0] @ before[1] == pytest.approx(0.5, abs=1e-3)
    left = np.sqrt(0.5) - (1000 + KNOWN * 1000 / (1000 + KNOWN)) / (1000 + KNOWN)
    assert after[0] @ after[1] == pytest.approx(left**2 / (left**2 + 0.5), abs=1e-3)
    assert after[0] @ after[1] < 0.2


def test_few_articles_of_a_language_are_read_as_those_of_all() -> None:
    known = Gists().after(many(1000, 5, 1, 0), 1.0)
    known = known.after(many(1, 7, 0, 1), 1.0)

    new = known.rows([article(0, 7, 1, 1), article(1, 9, 1, 1)]).vectors

    shared = np.array([1000.0, 1.0]) / (1001 + KNOWN)
    for row, own in zip(
        new,
        [(np.array([0.0, 1.0]) + KNOWN * shared) / (1 + KNOWN), shared],
        strict=True,
    ):
        apart = np.full(2, np.sqrt(0.5)) - own
        assert row.tolist() == pytest.approx(
            (apart / np.linalg.norm(apart)).tolist(), abs=1e-3
        )


def test_languages_fade_and_are_forgotten() -> None:
    known = Gists().after(many(4, 5, 1, 0), 0.0)
    assert known.after([], 100.0) is known

    later = known.after(many(1, 7, 0, 1), HALF_LIFE)
    assert later.languages.tolist() == [5, 7]
    assert later.articles.tolist() == [2.0, 1.0]
    assert later.total[0].tolist() == pytest.approx([2.0, 0.0])

    halvings = np.ceil(np.log2(4 / RARE))
    gone = known.after(many(1, 7, 0, 1), HALF_LIFE * (halvings + 1))
    assert gone.languages.tolist() == [7]


def test_articles_without_a_gist_or_of_another_size_have_none() -> None:
    known = Gists().after(many(3, 5, 1, 0), 0.0)
    none, other = linked(1, {1: 1}), article(2, 5, 1, 0, 0)
    zeros = replace(none, columns={"gist": np.zeros(3, dtype=np.int16)})

    rows = known.rows([article(0, 5, 0, 1), none, other, zeros])

    assert rows.there.tolist() == [True, False, False, False]
    assert not rows.vectors[1:].any()
    assert [each.language for each in (none, zeros)] == [-1, -1]
    assert known.after([none], 9.0) is known


def test_the_order_of_articles_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    some = [
        article(n, int(rng.integers(3)), *rng.standard_normal(8)) for n in range(90)
    ]

    one, other = Gists().after(some, 1.0), Gists().after(some[::-1], 1.0)

    assert one.total.tolist() == other.total.tolist()


def test_a_table_is_as_wide_as_it_is_told() -> None:
    columns = [np.array([1, 2, 3], dtype=np.int16), np.zeros(0, dtype=np.int16)]
    assert table_of(columns).tolist() == [[1, 2, 3], [0, 0, 0]]
    assert table_of(columns, 2).tolist() == [[0, 0], [0, 0]]
    assert table_of([]).shape == (0, 1)


@pytest.mark.parametrize(
    ("name", "column", "sound"),
    [
        ("gist", quantised([[0.0, 1.0]])[0], True),
        ("gist", np.zeros(0, dtype=np.int16), False),
        ("gist", np.array([-1, 2048], dtype=np.int16), False),
        ("gist", np.array([1, 32767], dtype=np.int16), False),
        ("gist", np.array([1, 2]), False),
        ("gist", np.ones((2, 2), dtype=np.int16), False),
        ("carried_names", np.array([1, 2]), True),
        ("carried_names", np.array([2, 1]), False),
        ("carried_names", np.array([1, 1]), False),
        ("carried_names", np.arange(10_000), False),
        ("carried_names", np.array([1.0, 2.0]), False),
        ("another", np.array([2.0, 1.0]), True),
    ],
)
def test_columns_that_no_encoder_gave_are_known(
    name: str, column: NDArray[Any], sound: bool
) -> None:
    assert is_sound({name: column}) == sound
