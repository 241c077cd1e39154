"""A group that holds articles that must be apart, cut where it hangs together least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg

from ustory.core.arrays import Indices, Mask, Vector

LEAK = 1e-6
"""Pull towards staying, in link weights: an article with no links stays."""

NOISE = 1e-6
"""An article that leans no more than this to those that leave stays."""


@dataclass(frozen=True, slots=True)
class GroupGraph:
    """The links among nodes, and where the nodes stood so far."""

    graph: sparse.csr_array
    """(nodes, nodes) weights, both ways."""
    standing: Indices
    """(nodes,) the group of each node before, -1 for none."""
    held: Mask
    """(nodes,) nodes that rather stay where they are."""


def parted(
    group: Indices, pairs: Sequence[tuple[int, int]], web: GroupGraph
) -> list[Indices]:
    """Return the parts of a group in which no pair is together.

    Of a pair the one with the weaker links leaves, of equals the later; with it
    go those that lean to it. One cut a pair at most, and fewer than there are
    nodes.
    """
    part = np.zeros(len(group), dtype=np.int64)
    inside = web.graph[group][:, group]
    place = {int(node): i for i, node in enumerate(group)}
    for one, other in pairs:
        ends = place[one], place[other]
        if part[ends[0]] == part[ends[1]]:
            rows = np.flatnonzero(part == part[ends[0]])
            leave = _leaving(rows, ends, inside, group, web)
            part[rows[leave]] = part.max() + 1
    return [group[part == number] for number in np.unique(part)]


def _leaving(
    rows: Indices,
    ends: tuple[int, int],
    inside: sparse.csr_array,
    group: Indices,
    web: GroupGraph,
) -> Mask:
    """Return which rows leave so that the two ends are apart.

    A walk along the links that starts at a row ends at one of the two: rows go
    with the one that it more likely ends at (Zhu, Ghahramani & Lafferty 2003).
    Those that stood with one of them and not with the other stay with it.
    """
    graph = inside[rows][:, rows]
    strength = np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()
    at = [int(np.searchsorted(rows, end)) for end in ends]
    held = web.held[group[rows]]
    stay, go = sorted(at, key=lambda i: (not held[i], -strength[i], i))
    standing = web.standing[group[rows]]
    goes = np.zeros(len(rows), dtype=bool)
    stays = np.zeros(len(rows), dtype=bool)
    if standing[stay] != standing[go]:
        goes |= (standing == standing[go]) & (standing >= 0)
        stays |= (standing == standing[stay]) & (standing >= 0)
    goes[go], stays[go] = True, False
    stays[stay], goes[stay] = True, False
    free = np.flatnonzero(~(goes | stays))
    goes[free] = _leaning(graph, free, goes, strength) > 0.5 + NOISE
    return goes


def _leaning(
    graph: sparse.csr_array, free: Indices, goes: Mask, strength: Vector
) -> Vector:
    """Return the chance of each free row that a walk from it ends with the leaving."""
    if not len(free):
        return np.zeros(0)
    links = graph[free]
    pull = np.asarray(links[:, np.flatnonzero(goes)].sum(axis=1)).ravel()
    system = sparse.diags_array(strength[free] + LEAK) - links[:, free]
    scale = sparse.diags_array(1.0 / (strength[free] + LEAK))
    found, _ = cg(sparse.csr_array(system), pull, rtol=1e-9, maxiter=1000, M=scale)
    return np.asarray(found)
