"""Rows are drawn near their neighbours, and hardly move from slide to slide."""

from __future__ import annotations

import numpy as np
import pytest

from ustory.core.arrays import Matrix
from ustory.service.plane import Neighbours, Plane, draw


def _groups(groups: int, each: int, seed: int = 0) -> tuple[list[str], Matrix]:
    """Return rows around some centres, one group after the other."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(groups, 32)), each, axis=0)
    rows = centres + 0.3 * rng.normal(size=centres.shape)
    return [f"a{i:04d}" for i in range(groups * each)], rows.astype(np.float32)


def _drawn(names: list[str], rows: Matrix, before: Plane | None = None) -> Plane:
    return draw(names, rows, Neighbours.of(rows), before or Plane())


def test_rows_lie_among_those_of_their_group() -> None:
    names, rows = _groups(6, 15)

    places = _drawn(names, rows).table(names)

    far = np.linalg.norm(places[:, None] - places[None, :], axis=2)
    np.fill_diagonal(far, np.inf)
    assert np.mean(far.argmin(axis=1) // 15 == np.arange(len(names)) // 15) > 0.95


def test_the_same_rows_give_the_same_picture() -> None:
    names, rows = _groups(4, 10)

    assert _drawn(names, rows) == _drawn(names, rows)


def test_what_stays_hardly_moves_when_rows_come_and_go() -> None:
    names, rows = _groups(8, 15)
    order = np.random.default_rng(1).permutation(len(names))
    first, second = sorted(order[:110]), sorted(order[10:])
    before = _drawn([names[i] for i in first], rows[first])

    after = _drawn([names[i] for i in second], rows[second], before)

    stayed = [names[i] for i in second if i in set(first)]
    old, new = before.table(stayed), after.table(stayed)
    moved = np.linalg.norm(new - old, axis=1)
    assert len(stayed) == 100
    assert np.median(moved) < 0.1 * old.std()


def test_a_new_row_begins_among_its_nearest() -> None:
    names, rows = _groups(5, 12)
    before = _drawn(names[:-1], rows[:-1])

    after = _drawn(names, rows, before)

    group = after.table(names[-12:])
    spread = np.linalg.norm(group[:-1] - group[:-1].mean(axis=0), axis=1).max()
    assert np.linalg.norm(group[-1] - group[:-1].mean(axis=0)) < 2 * spread


def test_a_plane_can_be_turned_like_another() -> None:
    names, rows = _groups(4, 10)
    plane = _drawn(names, rows)
    turned = Plane({name: (-y + 3, x) for name, (x, y) in plane.places.items()})

    again = turned.turned_like(plane)

    assert np.allclose(again.table(names), plane.table(names), atol=1e-2)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 6])
def test_a_few_rows_can_be_drawn_too(count: int) -> None:
    names, rows = _groups(1, 6)

    plane = _drawn(names[:count], rows[:count])

    assert list(plane.places) == names[:count]
    assert np.isfinite(plane.table(names[:count])).all()


def test_rows_that_are_all_alike_get_finite_places() -> None:
    names = [f"a{i}" for i in range(12)]

    plane = _drawn(names, np.ones((12, 8), dtype=np.float32))

    assert np.isfinite(plane.table(names)).all()


def test_drawing_can_be_ended_early() -> None:
    names, rows = _groups(4, 10)
    asked: list[int] = []

    def is_over() -> bool:
        asked.append(1)
        return True

    plane = draw(names, rows, Neighbours.of(rows), Plane(), is_over)

    assert len(asked) == 2
    assert len(plane.places) == len(names)


def test_neighbours_are_the_nearest_by_cosine_the_nearest_first() -> None:
    names, rows = _groups(3, 8)

    near = Neighbours.of(rows)

    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -np.inf)
    assert near.rows.shape == (len(names), len(names) - 1)
    assert (near.rows[:, 0] == cosine.argmax(axis=1)).all()
    assert (np.diff(near.cosine, axis=1) <= 0).all()


def test_the_share_of_near_fellows_leaves_out_groups_of_one() -> None:
    rows = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, 0.4]], dtype=np.float32)
    near = Neighbours.of(rows)

    assert near.shared(["a", "a", "b", "b", None]) == 1.0
    assert near.shared(["a", "b", "a", "b", "c"]) == 0.0
    assert near.shared(["a", "b", "c", None, None]) is None
    assert Neighbours.of(rows[:1]).shared(["a"]) is None
