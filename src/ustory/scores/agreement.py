"""Agreement of two groupings, adjusted for what chance alone would give."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from ustory.scores.chance import expected_mutual_information
from ustory.scores.contingency import Contingency, Tally, contingency

_EPS = float(np.finfo(np.float64).eps)


def adjusted_rand(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> float:
    """Return the adjusted Rand index: 1 for the same groups, 0 as by chance.

    >>> adjusted_rand(["x", "x", "y", "y"], [1, 2, 1, 2])
    -0.5
    """
    return adjusted_rand_of(contingency(truth, predicted))


def adjusted_rand_of(table: Contingency) -> float:
    """Return the adjusted Rand index of a table that is already counted.

        ARI = (Σ C(n_ij,2) − E) / ((A + B)/2 − E),  E = A·B / C(N,2)

    where A and B count the pairs inside the true and the found stories. It is
    worked out in whole numbers, so that nothing is lost among many articles.
    """
    together = _pairs(table.counts)
    true, found = _pairs(table.true_sizes), _pairs(table.found_sizes)
    all_pairs = table.total * (table.total - 1) // 2
    spread = (true + found) * all_pairs - 2 * true * found
    # No spread: one story on both sides, or only singletons on both sides.
    if spread == 0:
        return 1.0
    return 2 * (together * all_pairs - true * found) / spread


def adjusted_mutual_info(
    truth: Sequence[Hashable], predicted: Sequence[Hashable]
) -> float:
    """Return adjusted mutual information: 1 for the same groups, 0 as by chance.

    >>> adjusted_mutual_info(["x", "x", "y"], [7, 7, 3])
    1.0
    """
    return adjusted_mutual_info_of(contingency(truth, predicted))


def adjusted_mutual_info_of(table: Contingency) -> float:
    """Return adjusted mutual information of a table that is already counted.

        AMI = (MI − E[MI]) / ((H_true + H_found)/2 − E[MI])

    One story against many says nothing and scores 0.
    """
    if table.identical:
        return 1.0
    if table.true_sizes.size == 1 or table.found_sizes.size == 1:
        return 0.0
    expected = expected_mutual_information(
        table.true_sizes, table.found_sizes, table.total
    )
    entropies = [
        _entropy(sizes, table.total) for sizes in (table.true_sizes, table.found_sizes)
    ]
    gained = _off_zero(_mutual_information(table) - expected)
    return gained / _off_zero(sum(entropies) / 2 - expected)


def _pairs(sizes: Tally) -> int:
    # A Python int, because products of these overflow 64 bits.
    return int((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: Tally, total: int) -> float:
    share = sizes / total
    return float(-(share * np.log(share)).sum())


def _mutual_information(table: Contingency) -> float:
    surprise = np.log(table.counts) + math.log(table.total)
    surprise -= np.log(table.true_sizes)[table.rows]
    surprise -= np.log(table.found_sizes)[table.columns]
    # Never negative in theory; rounding may say otherwise.
    return max(float((table.counts / table.total * surprise).sum()), 0.0)


def _off_zero(difference: float) -> float:
    """Keep a difference at least one rounding step from zero, sign kept.

    Both differences of AMI vanish when one side is all singletons; 0/0 must not
    come of it.
    """
    if difference < 0:
        return min(difference, -_EPS)
    return max(difference, _EPS)
