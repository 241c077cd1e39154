"""Novel story discovery: seed stories among the articles no story wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.discover.confidence import is_assigned, log_denominator, threshold
from ustory.discover.pairs import Pairs, own_pairs, theme_index
from ustory.discover.seed_count import seed_clusters
from ustory.discover.similarity import (
    Similarities,
    pair_relevance,
    thematic_similarities,
)
from ustory.embed.story import story_representations
from ustory.embed.strategies import Embedder
from ustory.themes.stories import Corpora, story_themes
from ustory.window.summary import StorySummary, story_of
from ustory.window.unassigned import Batch
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a new story has around it: live stories and the window's clock."""

    live: Corpora
    excess: Vector
    """(articles,) Σ e^(T·sim) − |C| of each article over the live stories."""
    days: dict[int, float]
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Seeds:
    """Clusters of articles, tested against their own themes."""

    members: Sequence[Indices]
    """Per new story, its pairs with its articles, in order of id."""
    pairs: Pairs
    similarities: Similarities
    vectors: Matrix
    """(pairs, dim) E_a|C under the seed's theme."""
    log_confidence: Vector
    log_odds: Vector
    stories: int
    """How many stories, live ones and candidates, competed."""


def find_seeds(
    batch: Batch, initial: Matrix, around: Surroundings, embedder: Embedder
) -> Seeds | None:
    """Return the seed stories among a batch (sorted by id), None when there are none.

    Articles are clustered by their initial representations; a cluster's members
    stay if they pass the assignment test against the cluster's own theme, and
    the cluster is a story if at least M stay.
    """
    least = embedder.settings.minimum
    label = seed_clusters(_unit(initial), embedder.settings).label
    groups = _groups(label, least)
    if not groups:
        return None
    seeds = _tested(batch, groups, around, embedder)
    stays = is_assigned(seeds.similarities.total, seeds.log_odds)
    rows = [np.flatnonzero((seeds.pairs.story == i) & stays) for i in range(len(groups))]
    seeds.members.extend(pairs for pairs in rows if len(pairs) >= least)
    return seeds if seeds.members else None


def _groups(label: Indices, least: int) -> list[Indices]:
    """Return clusters of at least `least` rows, that of the first row first."""
    order = np.argsort(label, kind="stable")
    first = np.flatnonzero(np.diff(label[order], prepend=-1))
    groups = [rows for rows in np.split(order, first[1:]) if len(rows) >= least]
    return sorted(groups, key=lambda rows: int(rows[0]))


def _tested(
    batch: Batch, groups: list[Indices], around: Surroundings, embedder: Embedder
) -> Seeds:
    pairs = _member_pairs(batch, groups, around, embedder)
    vectors = embedder.represent(batch, pairs.article, pair_relevance(batch, pairs))
    candidates = _summaries(batch, groups, pairs, vectors)
    similarities = thematic_similarities(
        batch,
        pairs,
        {
            pane: story_representations(
                candidates, around.days, around.days[pane], embedder.settings
            )
            for pane in np.unique(batch.pane[pairs.article]).tolist()
        },
        embedder,
    )
    temperature = embedder.settings.temperature
    stories = len(around.live.stories) + len(groups)
    own = temperature * similarities.total
    excess = around.excess[pairs.article] + np.expm1(own)
    log_confidence = own - log_denominator(excess, stories)
    return Seeds(
        members=[],
        pairs=pairs,
        similarities=similarities,
        vectors=vectors,
        log_confidence=log_confidence,
        log_odds=log_confidence - np.log(threshold(stories, temperature)),
        stories=stories,
    )


def _member_pairs(
    batch: Batch, groups: list[Indices], around: Surroundings, embedder: Embedder
) -> Pairs:
    """Return each member's pair with its own group; 𝔻 is live stories and groups."""
    themes, _ = story_themes(
        _summaries(batch, groups, None, np.zeros((len(batch), 1), np.float32)),
        around.days,
        around.vocabulary,
        embedder.settings,
        around.live,
    )
    group = np.full(len(batch), -1, dtype=np.int64)
    for number, rows in enumerate(groups):
        group[rows] = number
    return own_pairs(batch, themes, group, theme_index(themes, len(around.vocabulary)))


def _summaries(
    batch: Batch, groups: list[Indices], pairs: Pairs | None, vectors: Matrix
) -> list[StorySummary]:
    """Return the groups as stories; a member without a keyword adds no vector."""
    full = vectors
    if pairs is not None:
        full = np.zeros((len(batch), vectors.shape[1]), dtype=np.float32)
        full[pairs.article] = vectors
    return [
        story_of([batch.articles[i] for i in rows.tolist()], full[rows])
        for rows in groups
    ]


def _unit(rows: Matrix) -> Matrix:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(norms, 1e-12)).astype(np.float32)
