"""Rows of unit length."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Matrix


def unit_rows(rows: Matrix) -> Matrix:
    """Return the rows scaled to length 1; a zero vector stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)
