"""Sums of term frequencies equal a plain counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.arrays import Indices
from ustory.window.raw_buffers import row_of
from ustory.window.summary import PaneSummary, add_up

row = st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=6)
groups = st.lists(st.lists(row, max_size=4), max_size=5)


def pane(counts: dict[int, int]) -> PaneSummary:
    terms = np.array(list(counts), dtype=np.int32)
    tf = np.array(list(counts.values()), dtype=np.int32)
    return PaneSummary(1, terms, tf, np.zeros(2), int(tf.sum()))


@given(groups)
def test_sums_equal_a_plain_counter(given_groups: list[list[dict[int, int]]]) -> None:
    rows = [pane(counts) for group in given_groups for counts in group]

    sums = add_up([one.buffers for one in rows], [len(g) for g in given_groups])

    assert len(sums) == len(given_groups)
    for group, (terms, tf) in zip(given_groups, sums, strict=True):
        plain: Counter[int] = Counter()
        for counts in group:
            plain.update(counts)
        assert dict(zip(terms.tolist(), tf.tolist(), strict=True)) == dict(plain)
        assert len(set(terms.tolist())) == len(terms)


def test_many_terms_that_share_a_slot_are_told_apart() -> None:
    """Runs of neighbours, as articles have them, and terms that hash alike."""
    random = np.random.default_rng(0)
    runs = [
        int(start) + i for start in random.integers(0, 2**26, 60) for i in range(40)
    ]
    far = (random.integers(0, 2**10, 500) << 16).tolist()
    counts = [dict.fromkeys(sorted(set(runs)), 1), dict.fromkeys(set(far), 2)]
    rows = [pane(one) for one in (*counts, *counts)]

    [(terms, tf)] = add_up([one.buffers for one in rows], [4])

    plain = Counter(counts[0]) + Counter(counts[1])
    expected = {term: 2 * times for term, times in plain.items()}
    assert dict(zip(terms.tolist(), tf.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    "array",
    [np.arange(4), np.arange(8, dtype=np.int32)[::2]],
    ids=["another dtype", "with gaps"],
)
def test_compiled_loops_refuse_what_they_would_misread(array: Indices) -> None:
    with pytest.raises(TypeError, match="contiguous int32 arrays"):
        row_of(array, array)


def test_terms_of_one_place_in_every_line_of_the_table_are_told_apart() -> None:
    counts = {16 * i + 3: 1 + i % 2 for i in range(400)}
    one = pane(counts)

    ((terms, tf),) = add_up([one.buffers], [1])

    assert dict(zip(terms.tolist(), tf.tolist(), strict=True)) == counts
