"""Topic graphs: which communities are merged, which words count, when to draw."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.topic_graph import (
    Memory,
    Rows,
    TopicGraph,
    at_least,
    filtered_rows,
    merged,
)
from ustory_bench.baselines.windowed import Turn

pytest.importorskip("sknetwork", reason="needs scikit-network: ustory-bench")


def document(name: str, words: str = "") -> Document:
    said = words.split()
    return Document(
        id=name,
        pane=0,
        day=0.0,
        words={word: said.count(word) for word in sorted(set(said))},
        pairs={},
        title={},
        lead={},
        names={},
        vector=np.zeros(2, dtype=np.float32),
    )


class Chained(TopicGraph):
    """Joins articles that start with the same letter, and counts its drawings."""

    drawn = 0

    def draw(self, documents: Sequence[Document]) -> tuple[sparse.csr_array, Rows]:
        """Return an edge for every pair of a letter."""
        self.drawn += 1
        letters = np.array([each.id[0] for each in documents])
        same = (letters[:, None] == letters).astype(np.float64)
        return sparse.csr_array(same), np.eye(len(documents), dtype=np.float32)


def turn(
    articles: Sequence[str], story: Mapping[str, str | None], memory: Memory
) -> Turn[Memory]:
    documents = {name: document(name) for name in sorted(articles)}
    return Turn(
        end=datetime(2024, 3, 4, tzinfo=UTC),
        documents=documents,
        new=[each for name, each in documents.items() if name not in story],
        story=story,
        memory=memory,
        next_story=9,
    )


def test_the_closest_are_merged_first_and_compared_by_their_common_centroid() -> None:
    # cos(a, b) = 0.8; cos(b, c) = 0.6, cos(a, c) = 0. After a and b are merged:
    # (1.8, 0.6) · (0, 1) / √(3.24 + 0.36) = 0.6 / 1.897 = 0.316
    rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    groups = [["a"], ["b"], ["c"]]

    assert merged(groups, "abc", rows, 0.81) == groups
    assert merged(groups, "abc", rows, 0.5) == [["a", "b"], ["c"]]
    assert merged(groups, "abc", rows, 0.31) == [["a", "b", "c"]]


def test_a_large_group_outweighs_a_small_one_in_their_centroid() -> None:
    # a and b are one group: (2, 0). With c, (0.6, 0.8), it is (2.6, 0.8), and its
    # cosine with d, (0, 1), is 0.8 / √(6.76 + 0.64) = 0.294; c alone has 0.8.
    rows = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)

    found = merged([["a", "b"], ["c"]], "abcd", rows, 0.55)
    joined = merged([["a", "b", "c"], ["d"]], "abcd", rows, 0.29)
    apart = merged([["a", "b", "c"], ["d"]], "abcd", rows, 0.3)

    assert found == [["a", "b", "c"]]
    assert joined == [["a", "b", "c", "d"]]
    assert apart == [["a", "b", "c"], ["d"]]


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), max_size=7))
def test_sparse_and_dense_rows_are_merged_alike(numbers: list[list[int]]) -> None:
    rows = np.array(numbers, dtype=np.float32).reshape(-1, 3)
    names = [f"a{place}" for place in range(len(rows))]
    groups = [[name] for name in names]

    found = merged(groups, names, rows, 0.9)

    assert merged(groups, names, sparse.csr_array(rows), 0.9) == found
    assert sorted(name for group in found for name in group) == names


def test_groups_with_nothing_in_common_stay_apart_at_any_threshold() -> None:
    rows = np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32)

    assert merged([["a"], ["b"], ["c"]], "abc", rows, 0.0) == [["a"], ["b"], ["c"]]


def test_equal_directions_are_merged_even_at_one() -> None:
    rows = np.array([[0.6, 0.8], [0.3, 0.4]], dtype=np.float32)

    assert merged([["a"], ["b"]], "ab", rows, 1.0) == [["a", "b"]]


def test_entries_below_the_threshold_are_no_edges() -> None:
    table = np.array([[1.0, 0.3], [0.3, 0.29]])

    found = at_least(sparse.csr_array(table), 0.3)

    assert found.toarray().tolist() == [[1.0, 0.3], [0.3, 0.0]]


def test_words_that_are_too_rare_or_too_common_are_left_out() -> None:
    said = [document("a", "x y z"), document("b", "x y"), document("c", "x")]

    assert filtered_rows(said).shape == (3, 3)
    assert filtered_rows(said, rare=2).shape == (3, 2)
    only_y = filtered_rows(said, rare=2, common=0.7).toarray()  # x is in 3 of 3
    assert only_y.tolist() == [[1.0], [1.0], [0.0]]


def test_the_graph_is_drawn_only_when_articles_came_or_left() -> None:
    method = Chained(Settings(), merge=1.0, whole=False)

    first, memory = method.settle(turn(["a1", "a2", "b1"], {}, Memory()))
    same, memory = method.settle(turn(["a1", "a2", "b1"], first, memory))
    assert (same, method.drawn) == (first, 1)
    rest = {"a2": first["a2"], "b1": first["b1"]}
    left, memory = method.settle(turn(["a2", "b1"], rest, memory))
    assert (left, method.drawn) == (rest, 2)
    assert method.settle(turn([], {}, memory)) == ({}, Memory())


def test_communities_go_on_as_the_story_they_share_most_articles_with() -> None:
    method = Chained(Settings(), merge=1.0, whole=False)
    before = {"a1": "s1", "a2": "s1", "b1": "s1", "c1": "s2"}

    found, _ = method.settle(turn([*before, "a3", "c2", "d1"], before, Memory()))

    # b1 splits off s1, of which the two a are the larger part
    assert found == {
        "a1": "s1", "a2": "s1", "a3": "s1", "b1": "s000009",
        "c1": "s2", "c2": "s2", "d1": "s000010",
    }  # fmt: skip


@pytest.mark.parametrize("merge", [-0.1, 1.1, float("nan"), "0.5", True, None])
def test_a_threshold_for_merging_that_is_no_cosine_is_refused(merge: object) -> None:
    with pytest.raises(ConfigError, match=r"merge must be .*got .*communities"):
        Chained(Settings(), merge=merge, whole=False)  # type: ignore[arg-type]


def test_whole_must_be_true_or_false() -> None:
    with pytest.raises(ConfigError, match="whole must be true or false, got 1"):
        Chained(Settings(), merge=1.0, whole=1)  # type: ignore[arg-type]


def test_a_missing_library_is_named_before_the_first_slide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sknetwork", None)

    with pytest.raises(MissingExtraError, match="ustory-bench"):
        Chained(Settings(), merge=1.0, whole=False)
