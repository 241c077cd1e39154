"""Cuts many unit rows into parts of neighbours, so that seeding stays near-linear."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Indices, Matrix
from ustory.paper.embedding.unit import unit_rows
from ustory.paper.seeding.kmeans import Rows, cluster

_STEPS = 5
"""Lloyd steps of the coarse clustering."""


def parts_of(rows: Matrix, most: int, seed: int) -> list[Indices]:
    """Return the places of rows in parts of neighbours, each of at most `most` rows.

    A coarse clustering of evenly drawn rows gives the centres; every row goes to
    the nearest, and a part that is still too large is cut again.
    """
    done: list[Indices] = []
    left = [np.arange(len(rows))]
    while left:
        places = left.pop()
        if len(places) <= most:
            done.append(places)
            continue
        label = _coarse(rows[places], most, seed)
        order = np.argsort(label, kind="stable")
        ends = np.flatnonzero(np.diff(label[order])) + 1
        pieces = [places[piece] for piece in np.split(order, ends)]
        if len(pieces) == 1:  # copies: nothing tells them apart
            done += np.split(places, range(most, len(places), most))
        else:
            left += pieces
    return sorted(done, key=lambda places: int(places[0]))


def _coarse(rows: Matrix, most: int, seed: int) -> Indices:
    """Return the coarse cluster of each row; about half of `most` are in one."""
    sample = rows[:: -(-len(rows) // most)]
    k = min(-(-2 * len(rows) // most), len(sample))
    found = cluster(Rows(sample), k, restarts=1, steps=_STEPS, seed=seed)
    sums = np.zeros((int(found.label.max()) + 1, rows.shape[1]), dtype=np.float32)
    np.add.at(sums, found.label, sample)
    centres = unit_rows(sums)
    label = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), most):
        part = slice(start, start + most)
        label[part] = np.argmax(rows[part] @ centres.T, axis=1)
    return label
