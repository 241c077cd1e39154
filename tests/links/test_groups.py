"""Groups: parts that no link joins stay apart, and nothing changes for nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from tests.links.test_louvain import Pairs, cliques, edges_of
from tests.reference import communities as plain
from ustory.links.groups import MARGIN, groups, linked_with
from ustory.links.louvain import communities, modularity

WEIGHT = st.sampled_from([0.2, 0.25, 0.5, 0.9, 1.0])


@st.composite
def windows(draw: st.DrawFn) -> tuple[int, Pairs, list[int]]:
    """Draw articles, links between some of them, and the groups they stand in."""
    count = draw(st.integers(0, 14))
    ends = st.tuples(st.integers(0, 13), st.integers(0, 13))
    pairs = {
        pair: draw(WEIGHT)
        for pair in draw(st.lists(ends, max_size=30))
        if pair[0] < pair[1] < count
    }
    return count, pairs, [draw(st.integers(-1, 3)) for _ in range(count)]


def grouped(count: int, pairs: Pairs, standing: list[int]) -> list[list[int]]:
    ends = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    weight = np.array(list(pairs.values()), dtype=float)
    found = groups(
        count, (ends[0], ends[1]), weight, np.array(standing, dtype=np.int64)
    )
    return [group.tolist() for group in found]


@limits(max_examples=60)
@given(windows())
def test_groups_are_those_of_the_rule(window: tuple[int, Pairs, list[int]]) -> None:
    count, pairs, standing = window
    stood = [None if group < 0 else group for group in standing]

    found = grouped(count, pairs, standing)

    assert found == plain.divided(plain.graph_of(count, pairs), stood, MARGIN)


@limits(max_examples=60)
@given(windows(), st.sets(st.integers(0, 13)))
def test_parts_where_nothing_is_fresh_stay_as_they_stand(
    window: tuple[int, Pairs, list[int]], new: set[int]
) -> None:
    count, pairs, standing = window
    fresh = {article for article in new if article < count}
    stood = [None if group < 0 else group for group in standing]
    ends = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    graph = plain.graph_of(count, pairs)

    touched = linked_with(
        count, (ends[0], ends[1]), np.isin(np.arange(count), list(fresh))
    )
    found = groups(
        count,
        (ends[0], ends[1]),
        np.array(list(pairs.values()), dtype=float),
        np.array(standing, dtype=np.int64),
        touched=touched,
    )

    assert set(np.flatnonzero(touched).tolist()) == plain.touched(graph, fresh)
    assert [group.tolist() for group in found] == plain.divided(
        graph, stood, MARGIN, fresh
    )


@given(windows())
def test_every_article_is_in_one_group_and_groups_are_in_order(
    window: tuple[int, Pairs, list[int]],
) -> None:
    found = grouped(*window)

    assert sorted(article for group in found for article in group) == list(
        range(window[0])
    )
    assert [group[0] for group in found] == sorted(group[0] for group in found)
    assert all(group == sorted(group) for group in found)


@given(windows())
def test_no_group_reaches_over_two_parts(window: tuple[int, Pairs, list[int]]) -> None:
    parts = [set(part) for part in plain.parts(plain.graph_of(window[0], window[1]))]

    assert all(any(set(group) <= part for part in parts) for group in grouped(*window))


def test_no_articles_are_no_groups() -> None:
    assert grouped(0, {}, []) == []


def test_pairs_and_lone_articles_stay_as_they_are() -> None:
    pairs = {(0, 3): 0.2, (1, 4): 0.9}

    assert grouped(5, pairs, [-1, -1, -1, -1, -1]) == [[0, 3], [1, 4], [2]]


def test_a_grouping_that_is_hardly_better_does_not_replace_the_standing() -> None:
    count, pairs = cliques(3, 4, bridge=0.8)
    apart = [node // 4 for node in range(count)]
    edges = edges_of(count, pairs)
    best = modularity(*edges, communities(*edges))
    moved = [*apart]
    moved[4] = 0  # as near to the other clique as it gets

    for standing in (apart, moved):
        loss = (best - modularity(*edges, np.array(standing))) * sum(pairs.values())
        found = grouped(count, pairs, standing)
        stood = [[i for i in range(count) if standing[i] == g] for g in range(3)]
        assert (found == stood) == (loss <= MARGIN)


def test_an_article_with_one_doubtful_link_to_a_large_group_is_let_go() -> None:
    count, pairs = cliques(1, 5, bridge=0.2)
    hanging = {**pairs, (0, count): 0.3}

    assert grouped(count + 1, hanging, [-1] * (count + 1)) == [[*range(count)], [count]]


def test_an_article_that_stood_with_its_group_is_not_let_go() -> None:
    count, pairs = cliques(1, 5, bridge=0.2)
    hanging = {**pairs, (0, count): 0.3}

    assert grouped(count + 1, hanging, [3] * (count + 1)) == [[*range(count + 1)]]
    assert grouped(count + 1, hanging, [3] * count + [8]) == [[*range(count)], [count]]


def test_an_article_with_a_doubtful_link_to_half_of_a_group_belongs_to_it() -> None:
    count, pairs = cliques(1, 5, bridge=0.2)
    held = {**pairs, (0, count): 0.4, (1, count): 0.4}

    assert grouped(count + 1, held, [-1] * (count + 1)) == [[*range(count + 1)]]


def test_a_grouping_that_is_clearly_better_replaces_the_standing() -> None:
    count, pairs = cliques(4, 4, bridge=0.2)

    found = grouped(count, pairs, count * [0])

    assert found == [list(range(first, first + 4)) for first in (0, 4, 8, 12)]


def test_a_new_article_joins_its_group_while_the_others_stay() -> None:
    count, pairs = cliques(2, 4, bridge=0.2)
    pairs |= {(0, 8): 0.9, (1, 8): 0.9, (2, 8): 0.9}

    found = grouped(count + 1, pairs, [1, 1, 1, 1, 0, 0, 0, 0, -1])

    assert found == [[0, 1, 2, 3, 8], [4, 5, 6, 7]]
