"""Louvain: what is planted is found, by the letter of the method, always alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from tests.reference import communities as plain
from ustory.core.arrays import Indices, Vector
from ustory.links.louvain import communities, modularity, settled

Pairs = dict[tuple[int, int], float]


def edges_of(nodes: int, pairs: Pairs) -> tuple[Indices, Indices, Vector]:
    graph = plain.graph_of(nodes, pairs)
    sizes = [len(graph[node]) for node in range(nodes)]
    rows = [sorted(graph[node].items()) for node in range(nodes)]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    other = np.array([o for row in rows for o, _ in row], dtype=np.int64)
    return start, other, np.array([weight for row in rows for _, weight in row])


@st.composite
def connected(draw: st.DrawFn) -> tuple[int, Pairs]:
    """Draw a connected graph of 3 to 12 nodes, weights with many ties."""
    nodes = draw(st.integers(3, 12))
    weight = st.sampled_from([0.2, 0.25, 0.5, 0.9, 1.0])
    pairs = {
        (draw(st.integers(0, node - 1)), node): draw(weight) for node in range(1, nodes)
    }
    more = draw(
        st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20)
    )
    for one, other in more:
        if one < other < nodes:
            pairs[one, other] = draw(weight)
    return nodes, pairs


def cliques(count: int, size: int, bridge: float) -> tuple[int, Pairs]:
    """Return a ring of cliques, one weak link between neighbours."""
    pairs: Pairs = {}
    for clique in range(count):
        first = clique * size
        for i in range(first, first + size):
            for j in range(i + 1, first + size):
                pairs[i, j] = 0.9
        after = (first + size) % (count * size)
        pairs[min(first, after), max(first, after)] = bridge
    return count * size, pairs


@limits(max_examples=60)
@given(connected())
def test_communities_are_those_of_the_method(given_graph: tuple[int, Pairs]) -> None:
    nodes, pairs = given_graph

    found = communities(*edges_of(nodes, pairs))

    expected = plain.numbered(plain.communities(plain.graph_of(nodes, pairs)))
    label = dict(enumerate(found.tolist()))
    assert plain.numbered(label) == expected


@given(connected(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_modularity_is_that_of_its_definition(
    given_graph: tuple[int, Pairs], labels: list[int]
) -> None:
    nodes, pairs = given_graph
    label = np.array(labels[:nodes]) % nodes

    found = modularity(*edges_of(nodes, pairs), label)

    graph = plain.graph_of(nodes, pairs)
    assert found == pytest.approx(plain.modularity(graph, dict(enumerate(label))))


@given(connected())
def test_no_community_is_worse_than_chance(given_graph: tuple[int, Pairs]) -> None:
    nodes, pairs = given_graph
    start, other, weight = edges_of(nodes, pairs)
    degree = np.add.reduceat(weight, start[:-1])

    found = communities(start, other, weight)

    owner = np.repeat(np.arange(nodes), np.diff(start))
    for label in np.unique(found):
        inside = weight[(found[owner] == label) & (found[other] == label)].sum()
        share = degree[found == label].sum() / weight.sum()
        assert inside / weight.sum() >= share**2 - 1e-8


@given(
    connected(),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_only_free_nodes_move_and_never_for_the_worse(
    given_graph: tuple[int, Pairs], labels: list[int], freed: list[bool]
) -> None:
    nodes, pairs = given_graph
    edges = edges_of(nodes, pairs)
    label, free = np.array(labels[:nodes]) % nodes, np.array(freed[:nodes])

    found = settled(*edges, label, free)

    assert (found == label)[~free].all()
    assert modularity(*edges, found) >= modularity(*edges, label) - 1e-9
    expected = plain.moved(
        plain.graph_of(nodes, pairs),
        dict(enumerate(label.tolist())),
        np.flatnonzero(free).tolist(),
    )
    assert dict(enumerate(found.tolist())) == expected


@pytest.mark.parametrize(("count", "size"), [(2, 3), (4, 4), (8, 5), (5, 12)])
def test_planted_cliques_are_found(count: int, size: int) -> None:
    found = communities(*edges_of(*cliques(count, size, bridge=0.2)))

    labels = found.reshape(count, size)
    assert (labels == labels[:, :1]).all()
    assert len(np.unique(found)) == count


def test_a_clique_stays_whole() -> None:
    nodes = 9
    pairs = {(i, j): 1.0 for i in range(nodes) for j in range(i + 1, nodes)}

    assert len(np.unique(communities(*edges_of(nodes, pairs)))) == 1


def test_a_pair_is_one_community() -> None:
    assert communities(*edges_of(2, {(0, 1): 0.3})).tolist() == [0, 0]


def test_ties_go_the_same_way_every_time() -> None:
    nodes = 30
    ring = {(i, i + 1): 0.5 for i in range(nodes - 1)} | {(0, nodes - 1): 0.5}
    edges = edges_of(nodes, ring)

    first = communities(*edges)

    assert all((communities(*edges) == first).all() for _ in range(5))
    assert 1 < len(np.unique(first)) < nodes / 2
