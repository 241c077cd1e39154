"""How much two groupings of given sizes would agree by chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Vector
from ustory.scores.contingency import Tally

_CELLS = 1 << 19
"""Numbers worked on at a time: fits the processor's cache rather than memory."""

_TAIL = 46.0
"""Overlaps less likely than e^-46 ≈ 1e-20 are left out."""


def expected_mutual_information(
    true_sizes: Tally, found_sizes: Tally, total: int
) -> float:
    """Return E[MI] over all ways to shuffle articles between stories.

        E[MI] = Σ_ij Σ_n  P(n | a_i, b_j, N) · n/N · log(N·n / (a_i·b_j))

    P is hypergeometric and depends on the sizes a_i, b_j alone, so each pair of
    *different* sizes is worked out once: N articles have at most √(2N) different
    sizes on a side, however many stories there are.
    """
    true, true_many = np.unique(true_sizes, return_counts=True)
    found, found_many = np.unique(found_sizes, return_counts=True)
    a, b = np.repeat(true, found.size), np.tile(found, true.size)
    many = np.outer(true_many, found_many).ravel()
    low, high = _likely_overlaps(a, b, total)
    expected = 0.0
    for block in _blocks(high - low + 1):
        each = _pair_terms(a[block], b[block], low[block], high[block], total)
        expected += float(many[block] @ each)
    return expected


def _likely_overlaps(a: Tally, b: Tally, total: int) -> tuple[Tally, Tally]:
    """Return the least and the greatest overlap of each pair worth counting.

    By Bernstein's bound, an overlap is further than t from its mean μ = ab/N
    with probability at most e^(−t² / (2μ + 2t/3)); t solves that for `_TAIL`.
    """
    mean = a * (b / total)
    reach = _TAIL / 3 + np.sqrt((_TAIL / 3) ** 2 + 2 * _TAIL * mean)
    low = np.maximum(np.floor(mean - reach).astype(np.int64), 0)
    high = np.ceil(mean + reach).astype(np.int64)
    return np.maximum(low, a + b - total), np.minimum(high, np.minimum(a, b))


def _blocks(lengths: Tally) -> Iterator[NDArray[np.intp]]:
    """Yield the pairs in blocks of similar length that stay within `_CELLS`."""
    order = np.argsort(-lengths)
    start = 0
    while start < order.size:
        # The longest comes first, so it bounds the width of its block.
        size = max(1, _CELLS // int(lengths[order[start]]))
        yield order[start : start + size]
        start += size


def _pair_terms(a: Tally, b: Tally, low: Tally, high: Tally, total: int) -> Vector:
    """Return the inner sum of E[MI] for each pair of sizes.

    P follows from the ratios P(n)/P(n−1) and Σ P = 1: log-factorials of a
    million would leave only nine digits of it.
    """
    a, b, low, high = (column[:, np.newaxis] for column in (a, b, low, high))
    # (pairs, overlaps), shorter rows padded at the right
    overlap = low + np.arange(int((high - low).max()) + 1)
    inside = overlap <= high
    logs = np.zeros(overlap.shape)
    n = np.where(inside, overlap, high)[:, 1:]
    rise = ((a - n + 1) * (b - n + 1)) / np.maximum(n * (total - a - b + n), 1)
    np.cumsum(np.log(rise), axis=1, out=logs[:, 1:])
    logs[~inside] = -np.inf
    chance = np.exp(logs - logs.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    # An overlap of 0 adds 0; the 1 only keeps its logarithm quiet.
    surprise = np.log(np.maximum(overlap, 1) * (total / (a * b)))
    terms: Vector = (chance * overlap * surprise).sum(axis=1) / total
    return terms
