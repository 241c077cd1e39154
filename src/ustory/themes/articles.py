"""The own theme of each unassigned article, in the context of the window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Indices, Vector
from ustory.core.settings import Settings
from ustory.themes.decay import pane_recency
from ustory.themes.scoring import Context
from ustory.window.documents import Documents
from ustory.window.unassigned import Batch


@dataclass(frozen=True, slots=True)
class OwnThemes:
    """K_a of each article of a batch, as hits: entry `entry[i]` is a keyword."""

    entry: Indices
    """Ascending, so that hits are sorted by article."""
    article: Indices
    weight: Vector


def own_themes(
    batch: Batch, documents: Documents, days: dict[int, float], settings: Settings
) -> OwnThemes:
    """Return the own themes of a batch: 𝔻 is all articles of the window (Sec. 5.2).

    The top N are compared as float32; ties go to the term listed first.
    """
    weights = _weights(batch, documents, days, settings)
    entry = _heaviest(weights.astype(np.float32), batch.entry_start, settings.keywords)
    return OwnThemes(entry, batch.article[entry], weights[entry])


def _weights(
    batch: Batch, documents: Documents, days: dict[int, float], settings: Settings
) -> Vector:
    recency = pane_recency(documents.panes, days, settings.time_aware)
    own = np.array([recency[pane] for pane in batch.pane.tolist()])
    lengths = np.array([int(a.tf.sum()) for a in batch.articles]) * own
    total = sum(recency[p] * d.length for p, d in documents.panes.items())
    sizes = np.diff(batch.entry_start)
    mean = total / max(documents.articles, 1)
    context = Context(documents.articles, lengths, sizes, mean)
    score = registry.find("scorings", settings.scoring)
    weights: Vector = score(
        batch.tf * own[batch.article], documents.df[batch.terms], context
    )
    return weights


def _heaviest(rank: Vector, start: Indices, keywords: int) -> Indices:
    """Return the positions of the N largest of each segment of `rank`, ascending."""
    sizes = np.diff(start)
    least = np.full(len(sizes), -np.inf, dtype=rank.dtype)
    for i in np.flatnonzero(sizes > keywords).tolist():
        part = rank[start[i] : start[i + 1]]
        least[i] = np.partition(part, len(part) - keywords)[len(part) - keywords]
    bound = np.repeat(least, sizes)
    places = np.flatnonzero(rank >= bound)
    above = rank[places] > bound[places]
    segment = np.searchsorted(start, places, side="right") - 1
    room = keywords - np.bincount(segment[above], minlength=len(sizes))
    ties = np.cumsum(~above)
    before = np.concatenate([[0], ties])[np.searchsorted(segment, segment)]
    kept: Indices = places[above | (ties - before <= room[segment])]
    return kept
