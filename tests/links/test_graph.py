"""Links as columns: who is left when articles leave, and which are the strongest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ustory.links.graph import Links, strongest

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20)


def links(pairs: list[tuple[int, int]]) -> Links:
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    values = np.arange(len(pairs), dtype=float)
    evidence = {"words": values, "meaning": values / 2}
    return Links(older=first, newer=second, evidence=evidence, gap=values / 3)


@given(PAIRS, st.sets(st.integers(0, 9)))
def test_links_of_an_article_leave_with_it(
    pairs: list[tuple[int, int]], left: set[int]
) -> None:
    found = links(pairs).among(np.array(sorted(left), dtype=np.int64))

    kept = [i for i, (a, b) in enumerate(pairs) if a in left and b in left]
    assert found.evidence["words"].tolist() == [float(i) for i in kept]
    assert list(zip(found.older.tolist(), found.newer.tolist(), strict=True)) == [
        pairs[i] for i in kept
    ]
    assert found.gap.tolist() == [i / 3 for i in kept]


@given(PAIRS, PAIRS)
def test_new_links_come_after_old_ones(
    old: list[tuple[int, int]], new: list[tuple[int, int]]
) -> None:
    both = Links.join([links(old), links(new)])

    assert len(both) == len(old) + len(new)
    assert both.older.tolist() == [a for a, _ in [*old, *new]]


def test_evidence_that_some_links_lack_is_neutral_for_them() -> None:
    names = Links(
        older=np.array([1]),
        newer=np.array([2]),
        evidence={"names": np.ones(1)},
        gap=np.zeros(1),
    )
    both = Links.join([links([(0, 1)]), names])

    assert list(both.evidence) == ["words", "meaning", "names"]
    assert both.evidence["names"].tolist() == [0.0, 1.0]
    assert both.evidence["words"].tolist() == [0.0, 0.0]


def test_no_links_are_a_table_too() -> None:
    assert len(Links()) == len(Links().among(np.arange(3))) == 0
    assert len(Links.join([links([(0, 1)])]).among(np.zeros(0, dtype=np.int64))) == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=30),
    st.integers(1, 5),
)
def test_each_article_keeps_its_strongest_and_of_equals_the_earlier(
    given_pairs: list[tuple[int, int]], most: int
) -> None:
    pairs = sorted(given_pairs, key=lambda pair: pair[0])
    newer = np.array([article for article, _ in pairs], dtype=np.int64)
    value = np.array([float(strength) for _, strength in pairs])

    keep = strongest(newer, value, most)

    for i, (article, strength) in enumerate(pairs):
        better = [
            j
            for j, (other, its) in enumerate(pairs)
            if other == article and (its > strength or (its == strength and j < i))
        ]
        assert keep[i] == (len(better) < most)
