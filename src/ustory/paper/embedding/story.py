"""Story representation: its articles, the recent ones first (Def 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.core.settings import Settings
from ustory.core.spans import microseconds
from ustory.window.summary import StorySummary

_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class PaneRows:
    """The panes of stories as rows, sorted by story: what Eq. 8 sums over."""

    story: Indices
    """(rows,) position of the story; every story has a row."""
    times: Vector
    """t_p, in days."""
    count: Counts
    """|p|, articles."""
    sums: Vector
    """(rows, dim) Σ E_a|C."""

    @classmethod
    def of(cls, stories: Sequence[StorySummary], days: Mapping[int, float]) -> PaneRows:
        """Return the rows of story summaries."""
        rows = [
            (i, days[p], s)
            for i, story in enumerate(stories)
            for p, s in story.panes.items()
        ]
        return cls(
            np.array([i for i, _, _ in rows]),
            np.array([time for _, time, _ in rows]),
            np.array([summary.articles for _, _, summary in rows]),
            np.stack([summary.vectors for _, _, summary in rows]),
        )


def story_representations(
    stories: Sequence[StorySummary],
    days: Mapping[int, float],
    panes: Iterable[int],
    settings: Settings,
) -> dict[int, Matrix]:
    """Return E_C|a of each story, by the pane of a (Def 4.3, Eq. 3, 8)."""
    return representations(PaneRows.of(stories, days), days, panes, settings)


def representations(
    rows: PaneRows,
    days: Mapping[int, float],
    panes: Iterable[int],
    settings: Settings,
) -> dict[int, Matrix]:
    """Return E_C|a of each story, by the pane of a (Def 4.3, Eq. 3, 8).

    E_C|a = Σ_p e^(−|t_a − t_p|/δ_C) · ΣE_p / Σ_p e^(−|t_a − t_p|/δ_C) · |p|
    """
    story, number = rows.story, len(rows.story)
    first = np.flatnonzero(np.diff(story, prepend=-1))
    spans = _spans(rows.times, first, days, settings)
    start = np.append(first, number)
    found: dict[int, Matrix] = {}
    for pane in panes:
        recency = np.ones(number)
        if settings.time_aware:
            recency = _recency(rows.times, story, first, days[pane], spans)
        total = np.add.reduceat(recency * rows.count, first)
        weights = sparse.csr_array(
            (recency / total[story], np.arange(number), start),
            shape=(len(first), number),
        )
        found[pane] = (weights @ rows.sums).astype(np.float32)
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
