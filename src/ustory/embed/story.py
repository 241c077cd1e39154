"""Story representation: its articles, the recent ones first (Def 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.settings import Settings
from ustory.core.spans import microseconds
from ustory.window.summary import StorySummary

_DAY = 86_400_000_000


def story_representations(
    stories: Sequence[StorySummary],
    days: Mapping[int, float],
    panes: Iterable[int],
    settings: Settings,
) -> dict[int, Matrix]:
    """Return E_C|a of each story, by the pane of a (Def 4.3, Eq. 3, 8).

    E_C|a = Σ_p e^(−|t_a − t_p|/δ_C) · ΣE_p / Σ_p e^(−|t_a − t_p|/δ_C) · |p|
    """
    rows = [
        (i, p, s) for i, story in enumerate(stories) for p, s in story.panes.items()
    ]
    story = np.array([i for i, _, _ in rows])
    times = np.array([days[pane] for _, pane, _ in rows])
    count = np.array([summary.articles for _, _, summary in rows])
    sums = np.stack([summary.vectors for _, _, summary in rows])
    first = np.flatnonzero(np.diff(story, prepend=-1))
    spans = _spans(times, first, days, settings)
    start = np.append(first, len(rows))
    found: dict[int, Matrix] = {}
    for pane in panes:
        recency = np.ones(len(rows))
        if settings.time_aware:
            recency = _recency(times, story, first, days[pane], spans)
        total = np.add.reduceat(recency * count, first)
        weights = sparse.csr_array(
            (recency / total[story], np.arange(len(rows)), start),
            shape=(len(stories), len(rows)),
        )
        found[pane] = (weights @ sums).astype(np.float32)
    return found


def _recency(
    times: Vector, story: Indices, first: Indices, at: float, spans: Vector
) -> Vector:
    """Return exp(−|t_a − t_p| / δ_C) of each row, up to a factor per story."""
    age = np.abs(at - times) / spans[story]
    # subtracting a story's smallest age changes no ratio and avoids 0/0
    nearest: Vector = np.minimum.reduceat(age, first)
    return np.exp(nearest[story] - age)


def _spans(
    times: Vector, first: Indices, days: Mapping[int, float], settings: Settings
) -> Vector:
    """Return δ_C of each story: its own span, at least a day; or W."""
    if settings.story_span == "story":
        own = np.maximum.reduceat(times, first) - np.minimum.reduceat(times, first)
        return np.asarray(np.maximum(own, 1.0))
    if isinstance(settings.window, int):
        # a window by number has no duration: take the one it happens to have
        return np.full(len(first), max(float(np.ptp(list(days.values()))), 1.0))
    return np.full(len(first), microseconds(settings.window) / _DAY)
