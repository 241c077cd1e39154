"""Novel story discovery: seed stories among the articles no story wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.core.settings import Settings
from ustory.paper.assignment.confidence import is_assigned, log_denominator, threshold
from ustory.paper.assignment.pairs import Pairs, own_pairs, theme_index
from ustory.paper.assignment.similarity import (
    SeenFrom,
    Similarities,
    thematic_similarities,
)
from ustory.paper.embedding.story import PaneRows, representations
from ustory.paper.embedding.strategies import Embedder
from ustory.paper.embedding.unit import unit_rows
from ustory.paper.seeding.seed_count import seed_clusters
from ustory.paper.themes.corpora import group_corpora, story_corpora
from ustory.paper.themes.decay import pane_recency
from ustory.paper.themes.stories import Others, find_themes
from ustory.window.batch import Batch
from ustory.window.summary import StorySummary
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Live:
    """The live stories as they stood when the slide was scored."""

    stories: Sequence[StorySummary] = ()
    df: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """(vocabulary,) how many of them have each term."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a new story has around it: live stories and the window's clock."""

    live: Live
    excess: Vector
    """(articles,) Σ e^(T·sim) − |C| of each article over the live stories."""
    days: dict[int, float]
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Seeds:
    """Clusters of articles, tested against their own themes."""

    batch: Batch
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
    batch: Batch,
    initial: Matrix,
    around: Surroundings,
    embedder: Embedder,
    workers: Executor | None = None,
) -> Seeds | None:
    """Return the seed stories among a batch (sorted by id), None when there are none.

    Articles are clustered by their initial representations; a cluster's members
    stay if they pass the assignment test against the cluster's own theme, and
    the cluster is a story if at least M stay. Workers change no number.
    """
    least = embedder.settings.minimum
    group = _groups(seed_clusters(unit_rows(initial), embedder.settings).label, least)
    inside = np.flatnonzero(group >= 0)
    if not len(inside):
        return None
    members = Batch([batch.articles[i] for i in inside.tolist()])
    around = replace(around, excess=around.excess[inside])
    seeds = _tested(members, group[inside], around, embedder, workers)
    stays = is_assigned(seeds.similarities.total, seeds.log_odds)
    staying = np.flatnonzero(stays)
    rows = _split(staying, seeds.pairs.story[staying], int(group.max()) + 1)
    found = [pairs for pairs in rows if len(pairs) >= least]
    return replace(seeds, members=found) if found else None


def _groups(label: Indices, least: int) -> Indices:
    """Return clusters of at least `least` rows, numbered by their first row.

    Rows of smaller clusters get -1.
    """
    names, first, code, sizes = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    large = np.flatnonzero(sizes >= least)
    number = np.full(len(names), -1)
    number[large[np.argsort(first[large])]] = np.arange(len(large))
    return number[code]


def _split(places: Indices, group: Indices, groups: int) -> list[Indices]:
    """Return the places of each group, ascending."""
    order = np.argsort(group, kind="stable")
    return np.split(places[order], np.searchsorted(group[order], np.arange(1, groups)))


def _tested(
    batch: Batch,
    group: Indices,
    around: Surroundings,
    embedder: Embedder,
    workers: Executor | None,
) -> Seeds:
    """Score the members of each group against the group's own theme."""
    pairs = _member_pairs(batch, group, around, embedder.settings, workers)
    vectors = embedder.represent(batch, pairs.hits)
    seen = np.zeros((len(batch), vectors.shape[1]), dtype=np.float32)
    seen[pairs.article] = vectors  # a member without a keyword adds no vector
    rows = _pane_rows(batch, group, seen, around.days)
    panes = np.unique(batch.pane).tolist()
    seen_from = SeenFrom.of(
        representations(rows, around.days, panes, embedder.settings)
    )
    similarities = thematic_similarities(batch, pairs, seen_from, embedder)
    # each member's own seed competes with the live stories (Def 5.2)
    total = len(around.live.stories) + int(group.max()) + 1
    temperature = embedder.settings.temperature
    own = temperature * similarities.total
    excess = around.excess[pairs.article] + np.expm1(own)
    log_confidence = own - log_denominator(excess, total)
    return Seeds(
        batch=batch,
        members=(),
        pairs=pairs,
        similarities=similarities,
        vectors=vectors,
        log_confidence=log_confidence,
        log_odds=log_confidence - np.log(threshold(total, temperature)),
        stories=total,
    )


def _member_pairs(
    batch: Batch,
    group: Indices,
    around: Surroundings,
    settings: Settings,
    workers: Executor | None,
) -> Pairs:
    """Return each member's pair with its own group; 𝔻 is live stories and groups."""
    groups = [
        [batch.articles[i] for i in rows.tolist()]
        for rows in _split(np.arange(len(batch)), group, int(group.max()) + 1)
    ]
    stories = around.live.stories
    live = {pane for story in stories for pane in story.panes}
    recency = pane_recency(
        live | set(batch.pane.tolist()), around.days, settings.time_aware
    )
    lengths = story_corpora(stories, recency).lengths
    themes = find_themes(
        group_corpora(groups, recency),
        around.vocabulary,
        settings,
        Others(lengths, around.live.df),
        workers,
    )
    return own_pairs(batch, themes, group, theme_index(themes, len(around.vocabulary)))


def _pane_rows(
    batch: Batch, group: Indices, seen: Matrix, days: Mapping[int, float]
) -> PaneRows:
    """Return the groups as the stories they would be, pane by pane."""
    order = np.lexsort((batch.pane, group))
    story, pane = group[order], batch.pane[order]
    new = (np.diff(story, prepend=-1) != 0) | (np.diff(pane, prepend=-1) != 0)
    first = np.flatnonzero(new)
    return PaneRows(
        story[first],
        np.array([days[p] for p in pane[first].tolist()]),
        np.diff(first, append=len(order)),
        np.add.reduceat(seen[order].astype(np.float64), first),
    )
