"""The own theme of each unassigned article, in the context of the window."""

from __future__ import annotations

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Vector
from ustory.core.settings import Settings
from ustory.themes.ranking import top_terms
from ustory.themes.scoring import Context
from ustory.themes.stories import Themes, decay
from ustory.window.documents import Documents
from ustory.window.unassigned import Batch
from ustory.window.vocabulary import Vocabulary


def own_themes(
    batch: Batch,
    documents: Documents,
    days: dict[int, float],
    vocabulary: Vocabulary,
    settings: Settings,
) -> Themes:
    """Return K_a of each article: 𝔻 is all articles of the window (Sec. 5.2)."""
    times = np.array([days[pane] for pane in documents.panes])
    span = float(np.ptp(times)) + 1
    recency = {
        pane: float(decay(times.max() - days[pane], span, settings.time_aware))
        for pane in documents.panes
    }
    weights = _weights(batch, documents, recency, settings)
    themes = Themes(
        np.full((len(batch), settings.keywords), -1, dtype=np.int32),
        np.zeros((len(batch), settings.keywords)),
        np.zeros((len(batch), settings.keywords)),
    )
    for i in range(len(batch)):
        row = slice(batch.entry_start[i], batch.entry_start[i + 1])
        best = top_terms(batch.terms[row], weights[row], settings.keywords, vocabulary)
        themes.terms[i, : len(best)] = batch.terms[row][best]
        themes.weights[i, : len(best)] = weights[row][best]
    return themes


def _weights(
    batch: Batch, documents: Documents, recency: dict[int, float], settings: Settings
) -> Vector:
    factor = np.array([recency[pane] for pane in batch.pane.tolist()])
    lengths = np.array([a.tf.sum() for a in batch.articles]) * factor
    total = sum(recency[p] * d.length for p, d in documents.panes.items())
    context = Context(
        documents.articles, lengths[batch.article], total / max(documents.articles, 1)
    )
    score = registry.find("scorings", settings.scoring)
    weights: Vector = score(
        batch.tf * factor[batch.article], documents.df[batch.terms], context
    )
    return weights
