"""The time-decaying property."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ustory.core.arrays import Vector


def decay(age: Vector, span: float, time_aware: bool) -> Vector:
    """Return exp(−age / δ), or 1 where time does not count.

    >>> decay(np.array([0.0, 7.0]), 7.0, time_aware=True).round(4).tolist()
    [1.0, 0.3679]
    """
    return np.exp(-age / span) if time_aware else np.ones_like(age)


def pane_recency(
    panes: Iterable[int], days: Mapping[int, float], time_aware: bool
) -> dict[int, float]:
    """Return exp(−|t_p − t_c| / δ_k) of each pane of 𝔻 (Eq. 1, 7).

    t_c is the newest of them and δ_k their span in days, plus 1.
    """
    ordered = sorted(panes)
    times = np.array([days[pane] for pane in ordered])
    factor = decay(times.max() - times, float(np.ptp(times)) + 1, time_aware)
    return dict(zip(ordered, factor.tolist(), strict=True))
