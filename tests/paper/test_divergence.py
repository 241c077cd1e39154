"""Keyword similarities equal their textbook formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core import registry

counts = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=8
)


def plain(name: str, p: list[float], q: list[float]) -> float:
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]

    def kl(left: list[float], right: list[float], base: float) -> float:
        terms = zip(left, right, strict=True)
        return sum(a * math.log(a / b, base) for a, b in terms if a > 0)

    jsd = (kl(p, middle, 2) + kl(q, middle, 2)) / 2
    return {
        "js": 1 - jsd,
        "js-root": 1 - math.sqrt(max(jsd, 0)),
        "js-root-e": 1 - math.sqrt(max(jsd, 0) * math.log(2)),
        "kl": math.exp(-kl(p, q, math.e)),
        "emd": sum(min(a, b) for a, b in zip(p, q, strict=True)),
    }[name]


@pytest.mark.parametrize("name", ["js", "js-root", "js-root-e", "kl", "emd"])
@given(pairs=st.lists(counts, min_size=1, max_size=4))
def test_each_measure_equals_its_formula(
    name: str, pairs: list[list[tuple[int, int]]]
) -> None:
    shared = [pair for pair in pairs if any(a for a, _ in pair)]
    if not shared:
        return
    hits: tuple[list[float], list[float], list[int]] = ([], [], [])
    expected = []
    for number, pair in enumerate(shared):
        ours, theirs = sum(a for a, _ in pair), sum(b for _, b in pair)
        p, q = [a / ours for a, _ in pair], [b / theirs for _, b in pair]
        expected.append(plain(name, p, q))
        for a, b in zip(p, q, strict=True):
            if a > 0:
                hits[0].append(a)
                hits[1].append(b)
                hits[2].append(number)
    found = registry.find("divergences", name)(
        np.array(hits[0]), np.array(hits[1]), np.array(hits[2]), len(shared)
    )
    # a root near zero magnifies the last bits
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
