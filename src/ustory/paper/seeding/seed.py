"""New stories from unassigned articles: how many, and which (Sec. 5.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.core.settings import Settings
from ustory.paper.assignment.pairs import (
    CandidatePairs,
    every_own_pair,
    own_pairs,
    theme_index,
)
from ustory.paper.assignment.similarity import (
    SeenFrom,
    Similarities,
    is_assigned,
    log_denominator,
    thematic_similarities,
    threshold,
)
from ustory.paper.embedding.article import unit_rows
from ustory.paper.embedding.story import Embedder, PaneRows, representations
from ustory.paper.seeding.kmeans import Clustering, UnitRows, cluster, parts_of
from ustory.paper.themes.scoring import pane_recency
from ustory.paper.themes.stories import (
    Others,
    find_themes,
    group_corpora,
    story_corpora,
)
from ustory.window.summary import StorySummary
from ustory.window.unassigned import Batch
from ustory.window.vocabulary import Vocabulary

MAX_EXHAUSTIVE_RANGE = 12
"""A range of cluster counts that is no wider is tried completely."""

MAX_SILHOUETTE_ROWS = 2_000
"""Rows used to judge a number of clusters, at most: silhouettes need all pairs."""


MAX_ROWS_PER_PART = 4_096
"""Up to this many rows are clustered together."""


def seed_clusters(rows: Matrix, settings: Settings) -> Clustering:
    """Return the clustering of unit rows into as many seeds as the settings ask for.

    k = ⌊n / M⌋ when M is given, at least 1; otherwise the data choose. More than
    `MAX_ROWS_PER_PART` rows are cut into parts of neighbours, each with its own seeds.
    """
    if len(rows) <= MAX_ROWS_PER_PART:
        return _clusters(rows, settings)
    label = np.empty(len(rows), dtype=np.int64)
    inertia, used = 0.0, 0
    for places in parts_of(rows, MAX_ROWS_PER_PART, settings.seed):
        found = _clusters(rows[places], settings)
        label[places] = found.label + used
        used += int(found.label.max()) + 1
        inertia += found.inertia
    return Clustering(label, inertia)


def _clusters(rows: Matrix, settings: Settings) -> Clustering:
    prepared = UnitRows(rows)

    def run(k: int) -> Clustering:
        return cluster(
            prepared,
            min(k, len(rows)),
            restarts=settings.seed_restarts,
            steps=settings.seed_steps,
            seed=settings.seed,
        )

    if settings.min_articles is not None:
        return run(max(len(rows) // settings.min_articles, 1))
    if len(rows) <= 3:  # 2 ≤ k ≤ n − 1 leaves no choice
        return run(max(len(rows) - 1, 1))
    if settings.seed_count == "log-means":
        return log_means(len(rows), run)
    return best_silhouette(rows, run)


def best_silhouette(rows: Matrix, run: Callable[[int], Clustering]) -> Clustering:
    """Return the clustering with the highest mean silhouette (Rousseeuw 1987).

    Silhouette is flat around its peak, so 2 ≤ k ≤ n − 1 is searched on a
    geometric grid, and then between the neighbours of the best, three times.
    """
    step = max(math.ceil(len(rows) / MAX_SILHOUETTE_ROWS), 1)
    distances = 1 - rows[::step] @ rows[::step].T
    tried: dict[int, tuple[float, Clustering]] = {}

    def score(k: int) -> float:
        if k not in tried:
            found = run(k)
            tried[k] = (silhouette(distances, found.label[::step]), found)
        return tried[k][0]

    low, high = 2, len(rows) - 1
    for _ in range(4):
        for k in _between(low, high, 8):
            score(k)
        ks = sorted(tried)
        best = max(ks, key=lambda k: (tried[k][0], -k))
        place = ks.index(best)
        low, high = ks[max(place - 1, 0)], ks[min(place + 1, len(ks) - 1)]
        if high - low <= 2:
            break
    return tried[best][1]


def silhouette(distances: Matrix, label: Indices) -> float:
    """Return the mean silhouette; a row alone in its cluster scores 0.

    >>> near, far = [0.0, 0.1, 0.9, 0.9], [0.9, 0.9, 0.0, 0.1]
    >>> d = np.array([near, [0.1, 0, 0.9, 0.9], far, [0.9, 0.9, 0.1, 0]])
    >>> round(silhouette(d, np.array([0, 0, 1, 1])), 4)
    0.8889
    """
    clusters, code = np.unique(label, return_inverse=True)
    if not 1 < len(clusters) < len(label):
        return -1.0
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code)
    first = np.cumsum(sizes) - sizes
    sums = np.add.reduceat(distances[:, order], first, axis=1)
    rows = np.arange(len(code))
    own = sizes[code]
    inside = sums[rows, code] / np.maximum(own - 1, 1)
    means = sums / sizes
    means[rows, code] = np.inf
    outside = means.min(axis=1)
    widest = np.maximum(np.maximum(inside, outside), 1e-12)
    return float(np.where(own > 1, (outside - inside) / widest, 0.0).mean())


def log_means(n: int, run: Callable[[int], Clustering]) -> Clustering:
    """Return the clustering that LOG-Means finds (Fritz et al., VLDB 2020).

    The error is sampled at powers of two up to n/2 (a story is at least a
    pair, and the error of near n clusters is next to nothing); the interval
    whose ends have the largest ratio is halved until they are neighbours.
    """
    tried = {k: run(k) for k in {1, *_powers(n // 2), n // 2}}
    while True:
        ks = sorted(tried)
        left, right = max(
            pairwise(ks),
            key=lambda ends: (_ratio(tried[ends[0]], tried[ends[1]]), -ends[0]),
        )
        if right - left <= 1:
            return tried[right]
        middle = (left + right) // 2
        tried[middle] = run(middle)


def _ratio(left: Clustering, right: Clustering) -> float:
    return left.inertia / max(right.inertia, 1e-9)


def _powers(high: int) -> list[int]:
    return [2**i for i in range(1, max(high, 2).bit_length()) if 2**i <= high]


def _between(low: int, high: int, count: int) -> list[int]:
    if high - low < MAX_EXHAUSTIVE_RANGE:
        return list(range(low, high + 1))
    grid = np.geomspace(low, max(high, low), count).round().astype(int)
    return sorted(set(grid.tolist()))


@dataclass(frozen=True, slots=True)
class Live:
    """The live stories as they stood when the slide was scored."""

    stories: Sequence[StorySummary] = ()
    df: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """(vocabulary,) how many of them have each term."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a new story is tested against: live stories, and the times of panes."""

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
    pairs: CandidatePairs
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
    With `seed_members = all` every member stays; then fewer than 2M articles make no
    story, because k would be 1 and one story take everything.
    """
    least, all_stay = embedder.settings.minimum, _keeps_all(embedder.settings)
    if all_stay and len(batch) < 2 * least:
        return None
    group = _groups(seed_clusters(unit_rows(initial), embedder.settings).label, least)
    inside = np.flatnonzero(group >= 0)
    if not len(inside):
        return None
    members = Batch([batch.articles[i] for i in inside.tolist()])
    around = replace(around, excess=around.excess[inside])
    seeds = _tested(members, group[inside], around, embedder, workers)
    stays = is_assigned(seeds.similarities.total, seeds.log_odds)
    staying = np.flatnonzero(stays | all_stay)
    rows = _split(staying, seeds.pairs.story[staying], int(group.max()) + 1)
    found = [pairs for pairs in rows if len(pairs) >= least]
    return replace(seeds, members=found) if found else None


def _keeps_all(settings: Settings) -> bool:
    """Say whether all members of a seed stay, as in the authors' script."""
    return settings.seed_members == "all"


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
    seen[pairs.article] = vectors  # a member without a pair adds no vector
    rows = _pane_rows(batch, group, seen, around.days)
    panes = np.unique(batch.pane).tolist()
    seen_from = SeenFrom.of(
        representations(rows, around.days, panes, embedder.settings)
    )
    similarities = _own_similarities(batch, pairs, seen_from, embedder)
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
) -> CandidatePairs:
    """Return each member's pair with its own group; 𝔻 is live stories and groups.

    A member without a keyword of its group has a pair only if all members stay.
    """
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
    index = theme_index(themes, len(around.vocabulary))
    pairs = own_pairs(batch, themes, group, index)
    return every_own_pair(pairs, group) if _keeps_all(settings) else pairs


def _own_similarities(
    batch: Batch, pairs: CandidatePairs, seen_from: SeenFrom, embedder: Embedder
) -> Similarities:
    """Return the similarity of each pair, 0 if it shares no keyword (Eq. 4)."""
    shared = np.diff(pairs.hit_start) > 0
    found = thematic_similarities(batch, pairs.only(shared), seen_from, embedder)
    every = np.zeros((3, len(pairs)))
    every[:, shared] = found.cosine, found.divergence, found.total
    return Similarities(*every)


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
