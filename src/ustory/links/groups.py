"""Articles into groups: connected parts, and the communities in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ustory.core.arrays import Indices, Mask, Vector
from ustory.links.louvain import (
    MIN_GROUP,
    communities,
    modularity,
    prune_weak,
    settled,
)

Edges: TypeAlias = tuple[Indices, Indices, Vector]
"""Where the edges of each node begin, the other node of each, its weight."""

LINK = 0.2
"""Probability from which a pair is linked at all."""

ACROSS_LINK = 0.5
"""The same between two languages. There all links are of gists, which one affair makes
alike: many doubtful ones would tie its stories together, and no words part them."""

MARGIN = 1.0
"""By how many sure links' worth another grouping must be better (its gain in modularity
times the weight of all links) to replace the standing one: of a few articles any share
of modularity is hardly any evidence."""


def groups(
    articles: int,
    pairs: tuple[Indices, Indices],
    weight: Vector,
    standing: Indices,
    margin: float = MARGIN,
    touched: Mask | None = None,
) -> list[Indices]:
    """Return the groups of articles, each ascending, in order of their first.

    `pairs` are rows of linked articles and `weight` how strongly; `standing` is
    the group that each article is in so far, -1 for those whose place is open;
    another grouping must be better by `margin`. Each connected part is divided by
    itself: over all of a large graph modularity does not see small groups
    (Fortunato & Barthélemy 2007). Articles that their group hardly holds are let go,
    but none that stood where most of it did: it would come and go. Articles that are
    not `touched`, if it is given, are grouped as they stand.
    """
    graph = graph_of(articles, pairs, weight)
    if not articles:
        return []
    _, part = csgraph.connected_components(graph, directed=False)
    order = np.argsort(part, kind="stable")
    inside = graph[order]
    # a connected part has no link to the outside, so all others are among its rows
    place = np.empty(articles, dtype=np.int64)
    place[order] = np.arange(articles)
    edges = inside.indptr.astype(np.int64), place[inside.indices], inside.data
    ends = np.cumsum(np.bincount(part)).tolist()
    found: list[Indices] = []
    for first, end in pairwise([0, *ends]):
        rows = order[first:end]
        if touched is not None and not touched[rows[0]]:
            continue
        if len(rows) < MIN_GROUP:
            found.append(rows)
        else:
            within = _part(edges, first, end)
            found += _divided(within, rows, standing[rows], margin)
    if touched is not None:
        still = np.flatnonzero(~touched)
        found += _by_label(still, _labels(standing[still]))
    return sorted(found, key=lambda rows: int(rows[0]))


def linked_with(articles: int, pairs: tuple[Indices, Indices], fresh: Mask) -> Mask:
    """Return which articles are fresh, or linked with such over any number of links."""
    graph = graph_of(articles, pairs, np.ones(len(pairs[0])))
    _, part = csgraph.connected_components(graph, directed=False)
    return np.asarray(np.bincount(part, fresh)[part] > 0)


def _part(edges: Edges, first: int, end: int) -> Edges:
    """Return the edges of some nodes, renumbered from 0 on."""
    start, other, weight = edges
    here = slice(start[first], start[end])
    return start[first : end + 1] - start[first], other[here] - first, weight[here]


def graph_of(
    articles: int, pairs: tuple[Indices, Indices], weight: Vector
) -> sparse.csr_array:
    """Return the graph of weighted pairs, each both ways."""
    first, second = pairs
    both = np.concatenate([first, second]), np.concatenate([second, first])
    graph = sparse.csr_array(
        (np.concatenate([weight, weight]), both), shape=(articles, articles)
    )
    graph.sort_indices()
    return graph


def _divided(
    edges: Edges, rows: Indices, standing: Indices, margin: float
) -> list[Indices]:
    """Return the communities of one connected part, unless the standing are as good."""
    fresh = communities(*edges)
    free = standing < 0
    if not free.all():
        kept = settled(*edges, _labels(standing), free)
        links = float(edges[2].sum()) / 2
        gain = modularity(*edges, fresh) - modularity(*edges, kept)
        if gain * links <= margin:
            fresh = kept
    return _by_label(rows, prune_weak(*edges, fresh, at_home(fresh, standing)))


def at_home(label: Indices, standing: Indices) -> Mask:
    """Return which nodes stood where most of their group did.

    Of stories from which a group has equally many, it is at home in the first.

    >>> at_home(np.array([0, 0, 0, 1, 1]), np.array([4, 4, 7, 7, -1])).tolist()
    [True, True, False, True, False]
    """
    found = np.zeros(len(label), dtype=bool)
    stood = np.flatnonzero(standing >= 0)
    if len(stood):
        stories = int(standing.max()) + 1
        key = label[stood] * stories + standing[stood]
        keys, place, count = np.unique(key, return_inverse=True, return_counts=True)
        group = keys // stories
        order = np.lexsort((keys, -count, group))
        _, most = np.unique(group[order], return_index=True)
        is_home = np.zeros(len(keys), dtype=bool)
        is_home[order[most]] = True
        found[stood] = is_home[place]
    return found


def _by_label(rows: Indices, label: Indices) -> list[Indices]:
    """Return the rows of each label."""
    if not len(rows):
        return []
    order = np.argsort(label, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(label[order])) + 1)


def stayed(groups: Sequence[Indices], standing: Indices) -> list[Indices]:
    """Return the groups with every article where it stood; new ones follow the most.

    `standing` is as for `groups`.
    """
    place: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        old = Counter(each for each in standing[group].tolist() if each >= 0)
        home = min(old, key=lambda each: (-old[each], each)) if old else -1 - number
        for row in group.tolist():
            stood = int(standing[row])
            place.setdefault(stood if stood >= 0 else home, []).append(row)
    found = [np.array(sorted(rows), dtype=np.int64) for rows in place.values()]
    return sorted(found, key=lambda rows: int(rows[0]))


def _labels(standing: Indices) -> Indices:
    """Return labels below the number of articles, a new article's its own."""
    old = standing >= 0
    _, known = np.unique(standing[old], return_inverse=True)
    label = np.empty(len(standing), dtype=np.int64)
    label[old] = known
    first = int(known.max()) + 1 if len(known) else 0
    label[~old] = first + np.arange(int((~old).sum()))
    return label
