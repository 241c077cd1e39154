"""The time-decaying property."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Vector


def decay(age: Vector, span: float, time_aware: bool) -> Vector:
    """Return exp(−age / δ), or 1 where time does not count.

    >>> decay(np.array([0.0, 7.0]), 7.0, time_aware=True).round(4).tolist()
    [1.0, 0.3679]
    """
    return np.exp(-age / span) if time_aware else np.ones_like(age)
