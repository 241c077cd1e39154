"""Verdicts on articles without a list of pairs: what assignment does in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Indices, Vector
from ustory.core.settings import Settings
from ustory.paper.assignment import divergence
from ustory.paper.assignment.assign_kernel import weigh_articles
from ustory.paper.assignment.confidence import TIE
from ustory.paper.assignment.pairs import Keywords, ThemeIndex
from ustory.paper.assignment.similarity import SeenFrom
from ustory.paper.themes.stories import Themes
from ustory.window.batch import Batch

MANY = 512
"""Stories up to which an article is compared with every one it shares a keyword with.

With more of them an article is compared with the `MOST` that have most of their
theme in common with it, and `SAMPLE` of the others stand for all of these.
"""

MOST, SAMPLE = 64, 32

_LOG2 = np.log2(np.maximum(np.arange(256), 1))

_COMPILED = {
    divergence.jensen_shannon: 0,
    divergence.jensen_shannon_root: 1,
    divergence.kullback_leibler: 2,
    divergence.earth_mover: 3,
}


@dataclass(frozen=True, slots=True)
class Weighed:
    """Per article the best story and the next, and the figures of the best."""

    best: Indices
    runner_up: Indices
    similarity: Vector
    cosine: Vector
    divergence: Vector
    behind: Vector
    """Similarity of the runner-up."""
    excess: Vector
    """Σ e^(T·sim) − |C|."""


def is_compiled(settings: Settings) -> bool:
    """Whether the divergence in force is one that the compiled loop knows."""
    return registry.find("divergences", settings.divergence) in _COMPILED


def closeness_alone(themes: Themes, index: ThemeIndex, settings: Settings) -> Vector:
    """Return, by place in the themes, how close one is that has this keyword only."""
    compare = registry.find("divergences", settings.divergence)
    share, cells = themes.share.ravel(), index.cells
    out = np.zeros(len(share))
    each = np.arange(len(cells))
    out[cells] = compare(np.ones(len(cells)), share[cells], each, len(cells))
    return out


def weigh(
    batch: Batch,
    keywords: Keywords,
    stories: tuple[Themes, ThemeIndex, SeenFrom, Vector],
    settings: Settings,
) -> Weighed:
    """Compare the articles of a batch with all stories they share a keyword with."""
    themes, index, seen_from, alone = stories
    best, second = np.empty((2, len(batch)), dtype=np.int64)
    figures = np.empty((len(batch), 5))
    many = len(themes) > MANY
    share = themes.share.ravel()
    kind = _COMPILED[registry.find("divergences", settings.divergence)]
    weigh_articles(
        batch.buffers,
        (keywords.start, keywords.entry, keywords.tf, keywords.number, keywords.cell),
        (
            index.start,
            index.cells,
            themes.weights.ravel(),
            (share, share * np.log2(np.where(share > 0, share, 1.0)), _LOG2),
            alone,
            themes.terms.shape,
        ),
        (seen_from.rows, seen_from.first_rows(batch)),
        (settings.temperature, kind, MOST if many else len(themes), SAMPLE, TIE),
        (best, second, figures),
    )
    cosine, closeness, total, behind, excess = figures.T
    return Weighed(best, second, total, cosine, closeness, behind, excess)
