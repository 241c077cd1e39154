"""Verdicts on articles without a list of pairs: what assignment does in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Indices, Vector
from ustory.core.settings import Settings
from ustory.paper.assignment import divergence
from ustory.paper.assignment.assign_kernel import (
    ComparisonRules,
    StoryRows,
    ThemeTable,
    VerdictColumns,
    compare_articles,
)
from ustory.paper.assignment.confidence import TIE
from ustory.paper.assignment.pairs import Keywords, ThemeIndex
from ustory.paper.assignment.similarity import SeenFrom
from ustory.paper.themes.stories import Themes
from ustory.window.batch import Batch

MANY_STORIES = 512
"""Up to so many stories an article is compared with every one that shares a keyword.

If there are more, an article is compared with the `MAX_COMPARED` that have most of
their theme in common with it, and `SAMPLED` of the others stand for all of these.
"""

MAX_COMPARED, SAMPLED = 64, 32

_LOG2 = np.log2(np.maximum(np.arange(256), 1))

_COMPILED = {
    divergence.jensen_shannon: 0,
    divergence.jensen_shannon_root: 1,
    divergence.kullback_leibler: 2,
    divergence.earth_mover: 3,
}


@dataclass(frozen=True, slots=True)
class BatchVerdicts:
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


def compare_batch(
    batch: Batch,
    keywords: Keywords,
    stories: tuple[Themes, ThemeIndex, SeenFrom, Vector],
    settings: Settings,
) -> BatchVerdicts:
    """Compare the articles of a batch with all stories they share a keyword with."""
    themes, index, seen_from, alone = stories
    best, second = np.empty((2, len(batch)), dtype=np.int64)
    out = VerdictColumns(best, second, np.empty((len(batch), 5)))
    share = themes.share.ravel()
    compare_articles(
        batch.buffers,
        keywords,
        ThemeTable(
            use_start=index.start,
            cells=index.cells,
            weight=themes.weights.ravel(),
            share=share,
            entropy=share * np.log2(np.where(share > 0, share, 1.0)),
            alone=alone,
            log2=_LOG2,
            stories=themes.terms.shape[0],
            width=themes.terms.shape[1],
        ),
        StoryRows(seen_from.rows, seen_from.first_rows(batch)),
        ComparisonRules(
            temperature=settings.temperature,
            divergence=_COMPILED[registry.find("divergences", settings.divergence)],
            most=MAX_COMPARED if len(themes) > MANY_STORIES else len(themes),
            sample=SAMPLED,
            tie=TIE,
        ),
        out,
    )
    cosine, closeness, total, behind, excess = out.figures.T
    return BatchVerdicts(best, second, total, cosine, closeness, behind, excess)
