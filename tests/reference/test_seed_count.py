"""How many seeds the data ask for (Sec. 5.2), against every number there could be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.settings import Settings
from ustory.paper.seeding.kmeans import Clustering, UnitRows, cluster
from ustory.paper.seeding.seed import (
    best_silhouette,
    log_means,
    seed_clusters,
    silhouette,
)

BY_SILHOUETTE = Settings(mode="paper", min_articles=None, seed_count="silhouette")
BY_LOG_MEANS = Settings(mode="paper", min_articles=None, seed_count="log-means")


def unit_rows(seed: int, n: int) -> Matrix:
    """Return n rows around a few directions, tight or loose as the seed says."""
    rng = np.random.default_rng([seed, n])
    centres = rng.standard_normal((rng.integers(2, max(n // 3, 3)), 8))
    noise = float(rng.choice([0.1, 0.5, 1.0])) * rng.standard_normal((n, 8))
    rows = centres[rng.integers(0, len(centres), n)] + noise
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows, dtype=np.float32)


def clusterings(rows: Matrix) -> Callable[[int], Clustering]:
    """Return the clustering into k, for any k, as the settings ask for it."""
    prepared, settings = UnitRows(rows), BY_SILHOUETTE
    return lambda k: cluster(
        prepared,
        k,
        restarts=settings.seed_restarts,
        steps=settings.seed_steps,
        seed=settings.seed,
    )


def distances(rows: Matrix) -> Vector:
    """Return 1 − cosine of all pairs."""
    exact = rows.astype(np.float64)
    found = np.maximum(1 - exact @ exact.T, 0)
    np.fill_diagonal(found, 0)
    return found


def quality(rows: Matrix, label: Indices) -> float:
    """Return scikit-learn's silhouette, -1 where it has none."""
    if not 1 < len(np.unique(label)) < len(label):
        return -1.0
    return float(silhouette_score(distances(rows), label, metric="precomputed"))


def best_of_all(rows: Matrix) -> float:
    """Return the best silhouette of 2 to n − 1 clusters."""
    run = clusterings(rows)
    return max(quality(rows, run(k).label) for k in range(2, len(rows)))


@given(st.integers(0, 10**6), st.integers(4, 20), st.integers(1, 20))
def test_silhouette_is_that_of_scikit_learn(seed: int, n: int, clusters: int) -> None:
    rows = unit_rows(seed, n)
    label = np.random.default_rng(seed).integers(0, clusters, n)

    found = silhouette(distances(rows).astype(np.float32), label)

    assert found == pytest.approx(quality(rows, label), abs=1e-5)


@limits(max_examples=40)
@given(st.integers(0, 10**6), st.integers(4, 14))
def test_among_few_articles_no_number_of_seeds_is_better(seed: int, n: int) -> None:
    rows = unit_rows(seed, n)

    found = seed_clusters(rows, BY_SILHOUETTE)

    # up to 14 articles every k from 2 to n − 1 is tried
    assert quality(rows, found.label) == pytest.approx(best_of_all(rows), abs=1e-5)


@limits(max_examples=15)
@given(st.integers(0, 10**6), st.integers(15, 60))
def test_among_more_articles_the_search_comes_close(seed: int, n: int) -> None:
    rows = unit_rows(seed, n)

    found = seed_clusters(rows, BY_SILHOUETTE)

    assert quality(rows, found.label) >= best_of_all(rows) - 0.05


def test_groups_that_are_plain_to_see_are_counted() -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(np.eye(8, dtype=np.float32), 6, axis=0)[:30]
    rows += 0.01 * rng.standard_normal(rows.shape).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    for found in (
        seed_clusters(rows, BY_SILHOUETTE),
        seed_clusters(rows, BY_LOG_MEANS),
    ):
        labels = found.label.reshape(5, 6)
        assert len(np.unique(labels)) == 5
        assert (labels == labels[:, :1]).all()


def test_of_equal_numbers_of_seeds_the_smallest_is_taken() -> None:
    rows = unit_rows(seed=1, n=12)
    asked: list[int] = []

    def always_the_same(k: int) -> Clustering:
        asked.append(k)
        return Clustering(np.arange(12) % 2, inertia=float(k))

    found = best_silhouette(rows, always_the_same)

    assert found.inertia == min(asked) == 2


def plain_log_means(n: int, error: Callable[[int], float]) -> int:
    """Return the k of LOG-Means, written as its rule is told.

    Errors are known at 1, 2, 4, … and n/2. Of neighbours among these, those with
    the largest ratio of errors get the number halfway between them, until they
    are one apart: the elbow is the right one.
    """
    last = n // 2
    known = {1, last}
    power = 2
    while power <= last:
        known.add(power)
        power *= 2
    while True:
        ratios = {
            (left, right): error(left) / max(error(right), 1e-9)
            for left, right in pairwise(sorted(known))
        }
        steepest = max(ratios.values())
        left, right = next(ends for ends in ratios if ratios[ends] == steepest)
        if right - left == 1:
            return right
        known.add((left + right) // 2)


@limits(max_examples=40)
@given(st.integers(0, 10**6), st.integers(4, 60))
def test_log_means_is_its_rule(seed: int, n: int) -> None:
    rows = unit_rows(seed, n)
    run = clusterings(rows)
    expected = run(plain_log_means(n, lambda k: run(k).inertia))

    found = seed_clusters(rows, BY_LOG_MEANS)

    assert found.label.tolist() == expected.label.tolist()
    assert found.inertia == expected.inertia


@given(st.integers(2, 32))
def test_log_means_finds_a_lone_elbow_with_few_clusterings(elbow: int) -> None:
    asked: list[int] = []

    def bent(k: int) -> Clustering:
        """Fall by little, but to a tenth at the elbow."""
        asked.append(k)
        height = 100.0 if k < elbow else 10.0
        return Clustering(np.array([k]), inertia=height - 0.01 * k)

    assert log_means(64, bent).label.tolist() == [elbow]
    # 1, 2, 4, 8, 16, 32, and at most four to halve 16 to 32
    assert len(asked) == len(set(asked)) <= 10
