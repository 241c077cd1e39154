"""Thematic keywords of stories, from their summaries alone (Theorem 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core import registry
from ustory.core.arrays import Indices, Vector
from ustory.core.settings import Settings
from ustory.themes.ranking import top_terms
from ustory.themes.scoring import Context
from ustory.window.summary import StorySummary
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Themes:
    """K_C of several stories (Def 4.1); row i is the theme of story i.

    Shorter themes are padded with term -1, weight 0 and share 0.
    """

    terms: Indices
    """(stories, N) keyword numbers, heaviest first."""
    weights: Vector
    """(stories, N) importance w_k."""
    share: Vector
    """(stories, N) P(k | C, K_C), from the raw counts in the window (Def 5.1)."""

    def __len__(self) -> int:
        return len(self.terms)


def decay(age: Vector, span: float, time_aware: bool) -> Vector:
    """Return exp(−age / δ), or 1 where time does not count.

    >>> decay(np.array([0.0, 7.0]), 7.0, time_aware=True).round(4).tolist()
    [1.0, 0.3679]
    """
    return np.exp(-age / span) if time_aware else np.ones_like(age)


def story_themes(
    stories: Sequence[StorySummary],
    days: dict[int, float],
    vocabulary: Vocabulary,
    settings: Settings,
) -> Themes:
    """Return the theme of each story, with all of them as 𝔻 (Sec. 5.3).

    rec-pop is Eq. 7: Σ_p exp(−|t_p − t_c| / δ_k) · tf(k, p). `days` maps each
    pane to its time; t_c is the newest, and only ratios of weights matter.
    """
    rows = [(i, p, s) for i, story in enumerate(stories) for p, s in story.panes.items()]
    times = np.array([days[pane] for _, pane, _ in rows])
    recency = decay(times.max() - times, float(np.ptp(times)) + 1, settings.time_aware)
    # one product gives both sums: real part decayed, imaginary part raw counts
    by_story = sparse.csr_array(
        (recency + 1j, ([i for i, _, _ in rows], np.arange(len(rows)))),
        shape=(len(stories), len(rows)),
    )
    counts = by_story @ _pane_terms([s for _, _, s in rows], len(vocabulary))
    return _themes(counts, vocabulary, settings)


def _pane_terms(panes: Sequence[object], vocabulary: int) -> sparse.csr_array:
    sizes = [len(pane.terms) for pane in panes]
    return sparse.csr_array(
        (
            np.concatenate([pane.tf for pane in panes]).astype(np.float64),
            np.concatenate([pane.terms for pane in panes]),
            np.concatenate([[0], np.cumsum(sizes)]),
        ),
        shape=(len(panes), vocabulary),
    )


def _themes(
    counts: sparse.csr_array, vocabulary: Vocabulary, settings: Settings
) -> Themes:
    stories = counts.shape[0]
    df = np.bincount(counts.indices, minlength=len(vocabulary))
    tf = counts.data.real
    lengths = np.add.reduceat(tf, counts.indptr[:-1])
    context = Context(
        stories, np.repeat(lengths, np.diff(counts.indptr)), float(lengths.mean())
    )
    weights = registry.find("scorings", settings.scoring)(tf, df[counts.indices], context)
    themes = Themes(
        np.full((stories, settings.keywords), -1, dtype=np.int32),
        np.zeros((stories, settings.keywords)),
        np.zeros((stories, settings.keywords)),
    )
    for i in range(stories):
        row = slice(counts.indptr[i], counts.indptr[i + 1])
        best = top_terms(counts.indices[row], weights[row], settings.keywords, vocabulary)
        themes.terms[i, : len(best)] = counts.indices[row][best]
        themes.weights[i, : len(best)] = weights[row][best]
        raw = counts.data.imag[row][best]
        themes.share[i, : len(best)] = raw / raw.sum()
    return themes
