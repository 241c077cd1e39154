"""Seeds are spread out, repeatable, and never copies of each other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from tests.paper.blobs import blobs
from ustory.core.settings import Settings
from ustory.paper.seeding import kmeans
from ustory.paper.seeding.kmeans import UnitRows, cluster
from ustory.paper.seeding.seed import seed_clusters, silhouette


def test_clear_clusters_are_found_whole() -> None:
    found = cluster(UnitRows(blobs(5, 8)), 5, restarts=10, steps=0, seed=0)
    groups = found.label.reshape(5, 8)
    assert (groups == groups[:, :1]).all()
    assert len(set(groups[:, 0].tolist())) == 5


def test_the_same_seed_gives_the_same_clusters_and_steps_never_hurt() -> None:
    rows = UnitRows(blobs(6, 7, spread=2.0))
    one = cluster(rows, 6, restarts=3, steps=0, seed=4)
    two = cluster(rows, 6, restarts=3, steps=0, seed=4)
    assert one.label.tolist() == two.label.tolist()
    better = cluster(rows, 6, restarts=3, steps=10, seed=4)
    assert better.inertia <= one.inertia + 1e-5


def test_copies_are_one_cluster_however_many_are_asked_for() -> None:
    rows = UnitRows(np.repeat(blobs(2, 1), 5, axis=0))
    found = cluster(rows, 7, restarts=2, steps=3, seed=0)
    assert len(set(found.label.tolist())) == 2
    assert found.inertia == 0


def test_large_inputs_need_no_square_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = blobs(4, 6, spread=1.0)
    whole = cluster(UnitRows(rows), 4, restarts=3, steps=0, seed=0)
    monkeypatch.setattr(kmeans, "_MAX_ROWS_AT_ONCE", 5)
    assert UnitRows(rows).all is None
    parts = cluster(UnitRows(rows), 4, restarts=3, steps=0, seed=0)
    assert parts.label.tolist() == whole.label.tolist()


def test_the_silhouette_equals_scikit_learns() -> None:
    rows = blobs(4, 5, spread=2.0)
    label = np.random.default_rng(1).integers(0, 5, len(rows))
    distances = 1 - rows @ rows.T
    np.fill_diagonal(distances, 0)
    expected = silhouette_score(np.abs(distances), label, metric="precomputed")
    assert silhouette(np.abs(distances), label) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("how", ["silhouette", "log-means"])
@pytest.mark.parametrize("clusters", [2, 4, 9])
def test_the_data_choose_the_number_of_seeds(how: str, clusters: int) -> None:
    settings = Settings(mode="paper", seed_count=how)
    label = seed_clusters(blobs(clusters, 6), settings).label
    assert len(set(label.tolist())) == clusters


@pytest.mark.parametrize(
    ("articles", "least", "seeds"), [(7, 2, 3), (3, 8, 1), (9, 3, 3)]
)
def test_m_sets_the_number_of_seeds(articles: int, least: int, seeds: int) -> None:
    rows = blobs(articles, 1)
    label = seed_clusters(rows, Settings(mode="paper", min_articles=least)).label
    assert len(set(label.tolist())) == seeds


@pytest.mark.parametrize("articles", [1, 2, 3])
def test_a_handful_of_articles_needs_no_choice(articles: int) -> None:
    label = seed_clusters(blobs(articles, 1), Settings(mode="paper")).label
    assert len(label) == articles
