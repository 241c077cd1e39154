"""Parts of neighbours: every row once, none too large, clear clusters whole."""

from __future__ import annotations

import numpy as np
import pytest

from tests.paper.blobs import blobs
from ustory.core.settings import Settings
from ustory.paper.seeding import seed as seed_count
from ustory.paper.seeding.kmeans import parts_of
from ustory.paper.seeding.seed import seed_clusters


@pytest.mark.parametrize("most", [7, 20, 1000])
def test_every_row_is_in_one_part_and_none_is_too_large(most: int) -> None:
    rows = blobs(12, 9, spread=2.0)

    parts = parts_of(rows, most, seed=0)

    assert sorted(np.concatenate(parts).tolist()) == list(range(len(rows)))
    assert max(map(len, parts)) <= most
    assert all((np.diff(part) > 0).all() for part in parts)


def test_clear_clusters_stay_whole_and_are_found_again() -> None:
    rows = blobs(10, 8)

    parts = parts_of(rows, 32, seed=0)

    assert len(parts) > 1
    cluster = [{place // 8 for place in part.tolist()} for part in parts]
    assert sum(map(len, cluster)) == 10
    again = parts_of(rows, 32, seed=0)
    assert [part.tolist() for part in again] == [part.tolist() for part in parts]


def test_copies_are_cut_by_their_order() -> None:
    rows = np.repeat(blobs(1, 1), 10, axis=0)

    parts = parts_of(rows, 4, seed=0)

    assert [part.tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_seeds_of_parts_are_those_of_the_whole_where_clusters_are_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = blobs(10, 8)
    settings = Settings(mode="paper", min_articles=8)
    whole = seed_clusters(rows, settings)
    monkeypatch.setattr(seed_count, "MAX_ROWS_PER_PART", 32)

    parts = seed_clusters(rows, settings)

    assert len(set(parts.label.tolist())) == 10
    pairs = set(zip(parts.label.tolist(), whole.label.tolist(), strict=True))
    assert len(pairs) == 10
    assert 0 < parts.inertia < 2 * whole.inertia
