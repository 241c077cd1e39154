"""Novel story discovery: seed stories among the articles no story wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.settings import Settings
from ustory.discover.confidence import is_assigned, log_denominator, threshold
from ustory.discover.pairs import Pairs, own_pairs
from ustory.discover.seed_count import seed_clusters
from ustory.discover.similarity import Similarities, thematic_similarities
from ustory.embed.article import relevance
from ustory.embed.story import story_representations
from ustory.embed.strategies import Embedder
from ustory.themes.stories import Themes, story_themes
from ustory.window.summary import StorySummary, summarise
from ustory.window.unassigned import Batch
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Seeds:
    """New stories: which articles make them, and how each article sees its own."""

    members: Sequence[Indices]
    """Per seed, positions of its articles in the batch, ascending."""
    pair: Indices
    """(articles,) the pair of each article with its own seed, -1 for none."""
    pairs: Pairs
    similarities: Similarities
    vectors: Matrix
    """(pairs, dim) E_a|C under the seed's theme."""
    themes: Themes
    log_confidence: Vector
    """(pairs,)"""
    stories: int
    """How many stories, live ones and seeds, competed."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a new story has around it: the live stories and the window's clock."""

    live: Sequence[StorySummary]
    exponentials: Vector
    """(articles,) Σ e^(T·sim) − |C| over the live stories."""
    days: dict[int, float]
    vocabulary: Vocabulary


def find_seeds(
    batch: Batch, initial: Matrix, around: Surroundings, embedder: Embedder
) -> Seeds | None:
    """Return the seed stories among a batch (sorted by id), None when there are none.

    Articles are clustered by their initial representations; a cluster's members
    stay if they pass the assignment test against the cluster's own theme, and
    the cluster is a story if at least M stay.
    """
    settings = embedder.settings
    if len(batch) < settings.minimum:
        return None
    groups = _groups(seed_clusters(_unit(initial), settings).label, settings.minimum)
    if not groups:
        return None
    seeds = _tested(batch, groups, around, embedder)
    kept = [members for members in seeds.members if len(members) >= settings.minimum]
    return _replace_members(seeds, kept) if kept else None


def _groups(label: Indices, least: int) -> list[Indices]:
    """Return clusters of at least `least` rows, that of the first row first."""
    order = np.argsort(label, kind="stable")
    first = np.flatnonzero(np.diff(label[order], prepend=-1))
    groups = [rows for rows in np.split(order, first[1:]) if len(rows) >= least]
    return sorted(groups, key=lambda rows: int(rows[0]))


def _tested(
    batch: Batch, groups: list[Indices], around: Surroundings, embedder: Embedder
) -> Seeds:
    live = len(around.live)
    themes = _seed_themes(batch, groups, around, embedder.settings)
    of_seed = np.full(len(batch), -1, dtype=np.int64)
    for number, rows in enumerate(groups):
        of_seed[rows] = number
    pairs = own_pairs(batch, themes, of_seed, len(around.vocabulary))
    scores = relevance(
        batch, pairs.hit_pair, pairs.hit_entry, pairs.hit_weight, len(pairs)
    )
    vectors = embedder.represent(batch, pairs.article, scores)
    summaries = _summaries(batch, groups, pairs, vectors)
    panes = sorted(set(batch.pane[pairs.article].tolist()))
    stories = {
        pane: story_representations(
            summaries, around.days, around.days[pane], embedder.settings
        )
        for pane in panes
    }
    similarities = thematic_similarities(batch, pairs, stories, embedder)
    total = live + len(groups)
    temperature = embedder.settings.temperature
    own = np.exp(temperature * similarities.total)
    others = around.exponentials[pairs.article] + live
    denominator = np.log(own + others + max(total, 2) - live - 1)
    log_confidence = temperature * similarities.total - denominator
    odds = log_confidence - np.log(threshold(total, temperature))
    stays = is_assigned(similarities.total, odds)
    pair = np.full(len(batch), -1, dtype=np.int64)
    pair[pairs.article] = np.arange(len(pairs))
    members = [rows[(pair[rows] >= 0) & stays[pair[rows]]] for rows in groups]
    return Seeds(
        members, pair, pairs, similarities, vectors, themes, log_confidence, total
    )


def _seed_themes(
    batch: Batch, groups: list[Indices], around: Surroundings, settings: Settings
) -> Themes:
    """Return the theme of each group, with live stories and groups as 𝔻."""
    nothing = np.zeros((len(batch), 1), dtype=np.float32)
    groups_only = [_summary(batch, rows, nothing) for rows in groups]
    themes = story_themes(
        [*around.live, *groups_only], around.days, around.vocabulary, settings
    )
    live = len(around.live)
    return Themes(themes.terms[live:], themes.weights[live:], themes.share[live:])


def _summaries(
    batch: Batch, groups: list[Indices], pairs: Pairs, vectors: Matrix
) -> list[StorySummary]:
    """Return the groups as stories; a member without a keyword adds nothing."""
    full = np.zeros((len(batch), vectors.shape[1]), dtype=np.float32)
    full[pairs.article] = vectors
    return [_summary(batch, rows, full) for rows in groups]


def _summary(batch: Batch, rows: Indices, vectors: Matrix) -> StorySummary:
    summary = StorySummary("")
    for pane in np.unique(batch.pane[rows]).tolist():
        here = rows[batch.pane[rows] == pane]
        articles = [batch.articles[i] for i in here.tolist()]
        summary = summary.add(pane, summarise(articles, vectors[here]))
    return summary


def _replace_members(seeds: Seeds, members: list[Indices]) -> Seeds:
    return Seeds(
        members,
        seeds.pair,
        seeds.pairs,
        seeds.similarities,
        seeds.vectors,
        seeds.themes,
        seeds.log_confidence,
        seeds.stories,
    )


def _unit(rows: Matrix) -> Matrix:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(norms, 1e-12)).astype(np.float32)
