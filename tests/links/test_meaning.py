"""Meanings: directions that all articles share weigh less, and rounding nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.links.running import linked
from ustory.core.arrays import Vector
from ustory.links.article import LinkedArticle
from ustory.links.evidence.meaning import PLAIN, STALE, Meanings

SEEDS = st.integers(0, 10**6)


def articles_of(rows: Vector) -> list[LinkedArticle]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(lengths > 0, lengths, 1.0)
    return [
        replace(linked(i, {0: 1}), vector=row)
        for i, row in enumerate(unit.astype(np.float32))
    ]


def random_articles(seed: int, count: int, dim: int = 6) -> list[LinkedArticle]:
    """Return articles that all lean to one side."""
    rng = np.random.default_rng(seed)
    return articles_of(rng.standard_normal((count, dim)) + np.arange(dim) / 2)


@given(SEEDS, st.integers(2, 40))
def test_rows_have_unit_length(seed: int, count: int) -> None:
    articles = random_articles(seed, count)

    rows = Meanings().after(articles, 1.0).distinct(articles)

    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)


@given(SEEDS, st.integers(2, 40))
def test_turning_all_vectors_changes_no_cosine(seed: int, count: int) -> None:
    articles = random_articles(seed, count)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((6, 6)))
    turned = articles_of(np.array([a.vector for a in articles]) @ turn)

    rows = Meanings().after(articles, 1.0).distinct(articles)
    again = Meanings().after(turned, 1.0).distinct(turned)

    np.testing.assert_allclose(rows @ rows.T, again @ again.T, atol=1e-3)


def test_a_subject_that_all_share_is_no_likeness() -> None:
    rng = np.random.default_rng(0)
    subject = 3 * rng.choice([-1.0, 1.0], (2000, 1)) * np.eye(1, 20)
    articles = articles_of(subject + rng.standard_normal((2000, 20)) / 2)
    vectors = np.array([a.vector for a in articles])

    rows = Meanings().after(articles, 1.0).distinct(articles)

    same_side = vectors[:, :1] * vectors[:, 0] > 0
    np.fill_diagonal(same_side, False)
    before, after = (vectors @ vectors.T)[same_side], (rows @ rows.T)[same_side]
    assert before.mean() > 0.6
    assert after.mean() < 0.4
    assert after.mean() > 0.05  # half-way: it is still worth something


def test_of_few_articles_only_the_mean_is_taken_out() -> None:
    articles = random_articles(1, 10, dim=4)
    vectors = np.array([a.vector for a in articles], dtype=np.float64)
    apart = vectors - vectors.mean(axis=0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)

    rows = Meanings().after(articles, 1.0).distinct(articles)

    assert len(articles) < PLAIN / 5
    np.testing.assert_allclose(rows @ rows.T, apart @ apart.T, atol=0.1)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 1000])
def test_copies_of_one_article_have_no_direction(count: int) -> None:
    vector = np.random.default_rng(count).standard_normal((1, 16))
    articles = articles_of(np.repeat(vector, count, axis=0))

    known = Meanings()
    for day in (1.0, 8.0, 13.3):  # counts that have faded are no round numbers
        known = known.after(articles, day)

    assert not known.distinct(articles).any()


def test_vectors_of_zeros_stay_zero() -> None:
    articles = articles_of(np.zeros((5, 4)))

    rows = Meanings().after(articles, 1.0).distinct(articles)

    assert rows.shape == (5, 4)
    assert not rows.any()


def test_nothing_new_changes_nothing() -> None:
    known = Meanings().after(random_articles(1, 5), 1.0)

    assert known.after([], 50.0) is known


def test_the_spread_is_worked_out_once_a_tenth_is_new() -> None:
    known = Meanings().after(random_articles(1, 100), 1.0)
    one, many = random_articles(2, 5), random_articles(3, 20)

    assert STALE * 120 < 20
    assert known.after(one, 1.0).axes is known.axes
    assert known.after(one, 1.0).fresh == 5
    assert known.after(many, 1.0).axes is not known.axes
    assert known.after(many, 1.0).fresh == 0


@given(SEEDS)
def test_the_order_of_articles_changes_only_rounding(seed: int) -> None:
    articles = random_articles(seed, 12)
    known, again = (
        Meanings().after(articles, 1.0),
        Meanings().after(articles[::-1], 1.0),
    )

    np.testing.assert_allclose(known.mean, again.mean, atol=1e-12)
    np.testing.assert_allclose(known.squares, again.squares, atol=1e-12)
