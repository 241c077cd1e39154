"""Story representation: its articles, the recent ones first (Def 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from ustory.core.arrays import Matrix, Vector
from ustory.core.settings import Settings
from ustory.core.spans import microseconds
from ustory.window.summary import StorySummary

_DAY = 86_400_000_000


def story_representations(
    stories: Sequence[StorySummary],
    days: dict[int, float],
    at: float,
    settings: Settings,
) -> Matrix:
    """Return E_C|a of each story for an article of time `at` (Def 4.3, Eq. 3, 8).

        E_C|a = Σ_p e^(−|t_a − t_p|/δ_C) · ΣE_p / Σ_p e^(−|t_a − t_p|/δ_C) · |p|
    """
    rows = [(i, p, s) for i, story in enumerate(stories) for p, s in story.panes.items()]
    story = np.array([i for i, _, _ in rows])
    times = np.array([days[pane] for _, pane, _ in rows])
    count = np.array([summary.articles for _, _, summary in rows])
    first = np.flatnonzero(np.diff(story, prepend=-1))
    recency = _recency(times, story, first, at, settings)
    total = np.add.reduceat(recency * count, first)
    weights = sparse.csr_array(
        (recency / total[story], (story, np.arange(len(rows)))),
        shape=(len(stories), len(rows)),
    )
    sums = np.stack([summary.vectors for _, _, summary in rows])
    return (weights @ sums).astype(np.float32)


def _recency(
    times: Vector,
    story: Vector,
    first: Vector,
    at: float,
    settings: Settings,
) -> Vector:
    if not settings.time_aware:
        return np.ones(len(times))
    span = _spans(times, first, settings)[story]
    age = np.abs(at - times) / span
    # subtracting a story's smallest age changes no ratio and avoids 0/0
    return np.exp(np.minimum.reduceat(age, first)[story] - age)


def _spans(times: Vector, first: Vector, settings: Settings) -> Vector:
    """Return δ_C of each story: its own span, at least a day; or W."""
    own = np.maximum.reduceat(times, first) - np.minimum.reduceat(times, first)
    if settings.story_span == "window":
        # windows by articles have no length in days; the observed span stands in
        if isinstance(settings.window, int):
            return np.full(len(first), max(float(np.ptp(times)), 1.0))
        return np.full(len(first), microseconds(settings.window) / _DAY)
    return np.maximum(own, 1.0)
