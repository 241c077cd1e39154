"""Sums of term frequencies equal a plain counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.arrays import Indices
from ustory.window.adding import add_up
from ustory.window.addresses import row_of
from ustory.window.summary import PaneSummary

row = st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=6)
groups = st.lists(st.lists(row, max_size=4), max_size=5)


def pane(counts: dict[int, int]) -> PaneSummary:
    terms = np.array(list(counts), dtype=np.int32)
    tf = np.array(list(counts.values()), dtype=np.int32)
    return PaneSummary(1, terms, tf, np.zeros(2), int(tf.sum()))


@given(groups)
def test_sums_equal_a_plain_counter(given_groups: list[list[dict[int, int]]]) -> None:
    rows = [pane(counts) for group in given_groups for counts in group]

    sums = add_up([one.where for one in rows], [len(g) for g in given_groups], 10)

    assert len(sums) == len(given_groups)
    for group, (terms, tf) in zip(given_groups, sums, strict=True):
        plain: Counter[int] = Counter()
        for counts in group:
            plain.update(counts)
        assert dict(zip(terms.tolist(), tf.tolist(), strict=True)) == dict(plain)
        assert len(set(terms.tolist())) == len(terms)


@pytest.mark.parametrize(
    "array",
    [np.arange(4), np.arange(8, dtype=np.int32)[::2]],
    ids=["another dtype", "with gaps"],
)
def test_compiled_loops_refuse_what_they_would_misread(array: Indices) -> None:
    with pytest.raises(TypeError, match="contiguous int32 arrays"):
        row_of(array, array)
