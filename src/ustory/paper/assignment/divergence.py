"""Similarities of keyword distributions, for the symbolic part of Eq. 4.

Each is given the keywords that article and story share, as hits of pairs:
`p` and `q` are P(k | a, K_C) and P(k | C, K_C). Keywords the article does not
have count through what is missing from Σ q. Pairs without a hit are 0.
"""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.paper.assignment.similarity_scan import sum_divergence


def _divergence(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return the Jensen-Shannon divergence of each pair, base 2, in [0, 1]."""
    total = np.ones(pairs)
    sum_divergence(p, q, pair, total)
    return np.clip(total / 2, 0.0, 1.0)


def jensen_shannon(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − JSD(P_a ‖ P_C).

    >>> four_of_ten = (np.full(4, 0.25), np.full(4, 0.1), np.zeros(4, int), 1)
    >>> jensen_shannon(*four_of_ten).round(2).tolist()
    [0.6]
    """
    return 1 - _divergence(p, q, pair, pairs)


def jensen_shannon_root(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − √JSD(P_a ‖ P_C), a metric's complement.

    >>> four_of_ten = (np.full(4, 0.25), np.full(4, 0.1), np.zeros(4, int), 1)
    >>> jensen_shannon_root(*four_of_ten).round(2).tolist()
    [0.37]
    """
    return 1 - np.sqrt(_divergence(p, q, pair, pairs))


def kullback_leibler(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return exp(−KL(P_a ‖ P_C)); finite, for a theme keyword is in its story."""
    return np.exp(-np.maximum(np.bincount(pair, p * np.log(p / q), pairs), 0))


def earth_mover(p: Vector, q: Vector, pair: Indices, pairs: int) -> Vector:
    """Return 1 − earth mover's distance with 0/1 ground distance: Σ min(P, Q)."""
    return np.minimum(np.bincount(pair, np.minimum(p, q), pairs), 1)
