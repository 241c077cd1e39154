"""Unit rows in clusters, clear or blurred."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Matrix


def blobs(clusters: int, size: int, spread: float = 0.1, seed: int = 0) -> Matrix:
    """Return clusters of so many rows, one after the other."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((clusters, 16))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    rows = np.repeat(centres, size, axis=0)
    rows += spread * random.standard_normal(rows.shape) / 4
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(unit, dtype=np.float32)
