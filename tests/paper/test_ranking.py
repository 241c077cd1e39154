"""The top N terms: by weight, then by the alphabet."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.paper.building import TERMS, VOCABULARY
from ustory.paper.themes.scoring import top_terms

EVERY = np.arange(len(TERMS), dtype=np.int32)
weighted = st.lists(
    st.sampled_from([0.25, 0.5, 1.0, 2.0]), min_size=len(TERMS), max_size=len(TERMS)
)


def named(weights: list[float], keywords: int) -> list[str]:
    best = top_terms(EVERY, np.array(weights), keywords, VOCABULARY)
    return [TERMS[i] for i in best.tolist()]


@given(weighted, st.integers(1, 9))
def test_heaviest_first_and_ties_by_the_alphabet(
    weights: list[float], keywords: int
) -> None:
    by_weight = sorted(zip(weights, TERMS, strict=True), key=lambda x: (-x[0], x[1]))

    assert named(weights, keywords) == [term for _, term in by_weight[:keywords]]


def test_what_differs_in_the_last_bits_is_a_tie() -> None:
    sum_in_another_order = 0.1 + (0.2 + 0.3)
    weights = [0.0] * len(TERMS)
    weights[TERMS.index("tank")] = (0.1 + 0.2) + 0.3
    weights[TERMS.index("alarm")] = sum_in_another_order
    assert weights[TERMS.index("tank")] > sum_in_another_order

    assert named(weights, 2) == ["alarm", "tank"]


def test_no_terms_have_no_top() -> None:
    none = np.zeros(0, dtype=np.int32)

    assert len(top_terms(none, np.zeros(0), 3, VOCABULARY)) == 0
