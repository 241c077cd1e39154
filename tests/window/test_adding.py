"""Sums of term frequencies equal a plain counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ustory.window.adding import add_up

row = st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=6)
groups = st.lists(st.lists(st.tuples(row, st.floats(0.1, 1.0)), max_size=4), max_size=5)


@given(groups)
def test_sums_equal_a_plain_counter(
    given_groups: list[list[tuple[dict[int, int], float]]],
) -> None:
    rows = [one for group in given_groups for one in group]
    sums = add_up(
        [np.array(list(counts), dtype=np.int32) for counts, _ in rows],
        [np.array(list(counts.values()), dtype=np.int32) for counts, _ in rows],
        [len(group) for group in given_groups],
        vocabulary=10,
        factor=np.array([factor for _, factor in rows]),
    )
    for i, group in enumerate(given_groups):
        where = sums.group(i)
        plain: Counter[int] = Counter()
        decayed: dict[int, float] = {}
        for counts, factor in group:
            plain.update(counts)
            for term, count in counts.items():
                decayed[term] = decayed.get(term, 0.0) + factor * count
        terms = sums.terms[where].tolist()
        assert dict(zip(terms, sums.tf[where].tolist(), strict=True)) == dict(plain)
        np.testing.assert_allclose(
            sums.decayed[where], [decayed[term] for term in terms], rtol=1e-12
        )
