"""What is done with a block of articles in mode `paper`: pure, wherever it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Matrix
from ustory.paper.assignment.assign import Verdicts, View, judge
from ustory.paper.assignment.pairs import Pairs
from ustory.paper.embedding.article import Hits, plain_means
from ustory.paper.embedding.strategies import Embedder
from ustory.paper.themes.articles import own_themes
from ustory.window.batch import Batch
from ustory.window.documents import Documents
from ustory.window.unassigned import UnassignedArticle

BLOCK = 256
"""Articles scored together. Fixed, so that results never depend on who scores."""


@dataclass(frozen=True, slots=True)
class Stories:
    """What articles are judged by: the stories, and how articles are seen."""

    view: View
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Window:
    """What articles are seen in while no story sees them."""

    documents: Documents
    days: dict[int, float]
    embedder: Embedder


def blocks_of(articles: Sequence[UnassignedArticle]) -> list[Batch]:
    """Return the articles in blocks."""
    return [Batch(articles[at : at + BLOCK]) for at in range(0, len(articles), BLOCK)]


def judge_block(batch: Batch, stories: Stories) -> tuple[Verdicts, Pairs, Matrix]:
    """Return the verdicts on some articles, what joins what, and as what.

    They are the parts of `Judged` without the articles, which the caller has.
    """
    # the caller holds all blocks: what is found out about one goes with the task
    judged = judge(batch.without_cache(), stories.view, stories.embedder)
    return judged.verdicts, judged.joining, judged.vectors


def represent_block(batch: Batch, window: Window) -> Matrix:
    """Return E_a|{a}: each article as its own theme shows it (Sec. 5.2)."""
    batch, embedder = batch.without_cache(), window.embedder
    settings = embedder.settings
    if settings.initial == "mean":
        return plain_means(batch, settings.sentences)
    own = own_themes(batch, window.documents, window.days, settings)
    sizes = np.bincount(own.article, minlength=len(batch))
    hits = Hits(
        np.arange(len(batch)),
        np.concatenate([[0], np.cumsum(sizes)]),
        own.entry - batch.entry_start[own.article],
        own.weight,
    )
    return embedder.represent(batch, hits)
