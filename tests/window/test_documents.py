"""Document frequencies add up and are forgotten with their pane."""

from __future__ import annotations

import numpy as np

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
