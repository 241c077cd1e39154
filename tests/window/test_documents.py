"""Document frequencies add up and are forgotten with their pane."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.window.test_summary import article
from ustory.window.documents import Documents, pane_documents


def test_frequencies_are_additive_and_leave_with_their_pane() -> None:
    first = [article(0, 3, {0, 1}), article(1, 3, {1})]
    second = [article(2, 4, {1, 2})]
    late = [article(3, 3, {0})]
    window = Documents().add({3: pane_documents(first)}, vocabulary=2)
    window = window.add({4: pane_documents(second), 3: pane_documents(late)}, 3)
    assert window.df.tolist() == [2, 3, 1]
    assert window.articles == 4
    assert window.panes[3].length == 3 + 1 + 1
    newer = window.since(4)
    assert newer.df.tolist() == [0, 1, 1]
    assert newer.articles == 1
    assert window.df.tolist() == [2, 3, 1]  # the older window is untouched


def test_renumbering_follows_the_vocabulary() -> None:
    window = Documents().add({3: pane_documents([article(0, 3, {1, 2})])}, 3)
    moved = np.array([-1, 0, 1], dtype=np.int32)
    smaller = window.renumber(moved)
    assert smaller.df.tolist() == [1, 1]
    assert smaller.panes[3].terms.tolist() == [0, 1]


term_sets = st.lists(st.sets(st.integers(0, 9), max_size=6), min_size=1, max_size=4)


@given(term_sets, term_sets)
def test_a_pane_filled_in_two_goes_is_one_filled_at_once(
    one: list[set[int]], other: list[set[int]]
) -> None:
    every = [article(n, 3, terms) for n, terms in enumerate([*one, *other])]
    parts = pane_documents(every[: len(one)]), pane_documents(every[len(one) :])

    both, whole = parts[0] + parts[1], pane_documents(every)

    assert (both.articles, both.length) == (whole.articles, whole.length)
    assert both.terms.tolist() == whole.terms.tolist()
    assert both.df.tolist() == whole.df.tolist()
    assert both.df.dtype == whole.df.dtype
    assert both.terms.dtype == whole.terms.dtype
