"""A door to community detection: graphs of named nodes in, groups of names out."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ustory.core.arrays import Indices
from ustory.core.errors import ConfigError, MissingExtraError

SMALLEST = 3
"""Nodes from which a connected part can fall into communities: a pair cannot."""


def check_installed() -> None:
    """Raise MissingExtraError where communities cannot be found: before a run."""
    _clustering()


def components(
    nodes: Sequence[str], weights: sparse.csr_array
) -> tuple[tuple[str, ...], ...]:
    """Return the connected parts of a graph, a lone node being one by itself.

    Names are in alphabetical order in a part, and parts in that of their first.
    """
    graph, names = _in_order(nodes, weights)
    return _groups(names, _parts(graph))


def louvain(
    nodes: Sequence[str],
    weights: sparse.csr_array,
    *,
    seed: int = 0,
    resolution: float = 1.0,
    whole: bool = False,
) -> tuple[tuple[str, ...], ...]:
    """Return the communities of a graph by the Louvain method (Blondel et al. 2008).

    `weights` are those of its edges, the same both ways, 0 for none; loops do not
    count. Each connected part is divided by itself, because over all of a large
    graph modularity cannot see small communities (Fortunato & Barthélemy 2007);
    `whole` divides the graph at once, as the method was published. The order of
    the result is that of `components`. Nodes are visited in alphabetical order,
    never shuffled, so that the same graph always gives the same communities.
    """
    if resolution <= 0:
        raise ConfigError(
            f"resolution must be above 0, got {resolution}; more gives smaller "
            "communities, and 1 is plain modularity"
        )
    graph, names = _in_order(nodes, weights)
    part = _parts(graph)
    found = np.zeros(len(names), dtype=np.int64)
    connected = np.diff(graph.indptr) > 0
    if whole:
        # lone nodes stay out: they have no edge that could be weighed
        part = np.where(connected, -1, part)
    first = 0
    for number in np.unique(part).tolist():
        members = np.flatnonzero(part == number)
        labels = np.zeros(len(members), dtype=np.int64)
        if len(members) >= SMALLEST:
            inside = graph[members][:, members]
            labels = _divide(inside, resolution, seed)
        found[members] = first + labels
        first += int(labels.max()) + 1
    return _groups(names, found)


def _divide(graph: sparse.csr_array, resolution: float, seed: int) -> Indices:
    """Return the community of each node of a graph that has edges."""
    method = _clustering().Louvain(
        resolution=resolution,
        shuffle_nodes=False,
        return_probs=False,
        return_aggregate=False,
        random_state=seed,
    )
    labels: Indices = method.fit_predict(sparse.csr_matrix(graph))
    return labels


def _clustering() -> ModuleType:
    try:
        from sknetwork import clustering  # noqa: PLC0415 - heavy, optional
    except ImportError as error:
        what = "scikit-network, which finds communities,"
        raise MissingExtraError(what, "", "ustory-bench") from error
    found: ModuleType = clustering
    return found


def _in_order(
    nodes: Sequence[str], weights: sparse.csr_array
) -> tuple[sparse.csr_array, list[str]]:
    """Return a graph without loops, its nodes by name."""
    order = sorted(range(len(nodes)), key=nodes.__getitem__)
    table = sparse.coo_array(weights[order][:, order])
    edge = (table.row != table.col) & (table.data != 0)
    graph = sparse.csr_array(
        (table.data[edge], (table.row[edge], table.col[edge])), shape=table.shape
    )
    graph.sort_indices()
    return graph, [nodes[place] for place in order]


def _parts(graph: sparse.csr_array) -> Indices:
    if not graph.shape[0]:
        return np.zeros(0, dtype=np.int64)
    _, part = csgraph.connected_components(graph, directed=False)
    return np.asarray(part, dtype=np.int64)


def _groups(names: Sequence[str], label: Indices) -> tuple[tuple[str, ...], ...]:
    found: dict[int, list[str]] = {}
    for name, number in zip(names, label.tolist(), strict=True):
        found.setdefault(number, []).append(name)
    return tuple(sorted(tuple(group) for group in found.values()))
