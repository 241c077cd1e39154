"""Louvain and connected parts: known graphs, fixed orders, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ustory.core.errors import ConfigError, MissingExtraError
from ustory_bench.baselines.communities import check_installed, components, louvain

pytest.importorskip("sknetwork", reason="needs scikit-network: ustory-bench")

NODES = tuple("abcdefgh")
graphs = st.dictionaries(
    st.sampled_from(list(combinations(NODES, 2))), st.integers(1, 5), max_size=14
)


def table(
    nodes: Sequence[str], edges: Mapping[tuple[str, str], float]
) -> sparse.csr_array:
    place = {node: number for number, node in enumerate(nodes)}
    found = np.zeros((len(nodes), len(nodes)))
    for (one, other), weight in edges.items():
        found[place[one], place[other]] = found[place[other], place[one]] = weight
    return sparse.csr_array(found)


def clique(nodes: str) -> dict[tuple[str, str], float]:
    return dict.fromkeys(combinations(nodes, 2), 1.0)


def test_two_triangles_with_one_edge_between_them_are_two_communities() -> None:
    # 7 edges, 7 of the 14 ends in each triangle.
    # Q(apart) = 2 · (3/7 − (7/14)²) = 0.357, Q(together) = 7/7 − (14/14)² = 0
    edges = clique("abc") | clique("def") | {("c", "d"): 1.0}

    found = louvain("abcdef", table("abcdef", edges))

    assert found == (("a", "b", "c"), ("d", "e", "f"))


def test_weights_decide_where_a_node_belongs() -> None:
    # m = 9. x with d: Q = 3/9 + 5/9 − (7/18)² − (11/18)² = 0.364
    #         x with c: Q = 4/9 + 3/9 − (10/18)² − (8/18)² = 0.272
    edges = clique("abc") | clique("def") | {("c", "x"): 1.0, ("d", "x"): 2.0}

    found = louvain("abcdefx", table("abcdefx", edges))

    assert found == (("a", "b", "c"), ("d", "e", "f", "x"))


def test_small_communities_are_seen_beside_a_large_one_unless_asked_as_a_whole() -> (
    None
):
    # Of the whole: 7 edges in the triangles, C(8, 2) = 28 in the clique, m = 35.
    # Joining the triangles gains 1/m − 7·7 / (2m²) = 0.0286 − 0.02 > 0; of their
    # own part, m = 7, it would lose: 1/7 − 49/98 < 0.
    edges = clique("abc") | clique("def") | {("c", "d"): 1.0} | clique("mnopqrst")
    nodes = "abcdefmnopqrst"
    large = tuple("mnopqrst")

    by_part = louvain(nodes, table(nodes, edges))
    at_once = louvain(nodes, table(nodes, edges), whole=True)

    assert by_part == (("a", "b", "c"), ("d", "e", "f"), large)
    assert at_once == (tuple("abcdef"), large)


def test_a_higher_resolution_gives_smaller_communities() -> None:
    graph = table("abcd", clique("abcd"))

    assert louvain("abcd", graph) == (tuple("abcd"),)
    assert louvain("abcd", graph, resolution=9.0) == (("a",), ("b",), ("c",), ("d",))


@pytest.mark.parametrize("whole", [False, True])
def test_a_graph_without_edges_is_lone_nodes_and_loops_are_no_edges(
    whole: bool,
) -> None:
    loops = sparse.csr_array(np.diag([3.0, 2.0]))

    assert louvain("ba", loops, whole=whole) == (("a",), ("b",))
    assert louvain("", sparse.csr_array((0, 0)), whole=whole) == ()
    assert components("ba", loops) == (("a",), ("b",))
    assert components("", sparse.csr_array((0, 0))) == ()


def test_connected_parts_are_in_the_order_of_their_first_name() -> None:
    edges = {("d", "b"): 1.0, ("e", "c"): 0.5, ("c", "g"): 2.0}

    found = components("gfedcba", table("gfedcba", edges))

    assert found == (("a",), ("b", "d"), ("c", "e", "g"), ("f",))


@given(graphs, st.permutations(NODES), st.booleans())
def test_the_order_in_which_nodes_are_given_does_not_matter(
    edges: dict[tuple[str, str], int], shuffled: list[str], whole: bool
) -> None:
    found = louvain(NODES, table(NODES, edges), whole=whole)

    assert louvain(shuffled, table(shuffled, edges), whole=whole) == found
    assert list(found) == sorted(tuple(sorted(group)) for group in found)
    assert sorted(node for group in found for node in group) == list(NODES)


@given(graphs, st.booleans())
def test_a_community_never_spans_two_connected_parts(
    edges: dict[tuple[str, str], int], whole: bool
) -> None:
    graph = table(NODES, edges)
    part = {node: group for group in components(NODES, graph) for node in group}

    for group in louvain(NODES, graph, whole=whole):
        assert len({part[node] for node in group}) == 1


@pytest.mark.parametrize("resolution", [0.0, -1.0])
def test_a_resolution_of_nothing_is_refused_in_words(resolution: float) -> None:
    with pytest.raises(ConfigError, match="resolution must be above 0, got"):
        louvain("ab", table("ab", clique("ab")), resolution=resolution)


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sknetwork", None)

    with pytest.raises(MissingExtraError, match="pip install ustory-bench"):
        check_installed()
    with pytest.raises(MissingExtraError, match="scikit-network"):
        louvain("abc", table("abc", clique("abc")))
