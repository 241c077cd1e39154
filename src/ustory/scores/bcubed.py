"""B-cubed: how pure and how complete a story looks from each of its articles."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ustory.scores.contingency import Contingency, contingency


class BCubed(NamedTuple):
    """B-cubed precision, recall and F1, averaged over articles."""

    precision: float
    recall: float
    f1: float
    """Harmonic mean of the averaged precision and recall."""


def bcubed(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> BCubed:
    """Return B-cubed of one true and one found story per article.

    An article's precision is the share of its found story that belongs to its
    true story; its recall is the share of its true story that was found with it
    (Bagga & Baldwin 1998; Amigó et al. 2009, without overlap).

    >>> bcubed(["x", "x", "y", "y"], [1, 1, 1, 2]).recall
    0.75
    """
    return bcubed_of(contingency(truth, predicted))


def bcubed_of(table: Contingency) -> BCubed:
    """Return B-cubed of a table that is already counted.

        P = 1/N Σ n_ij² / n_·j        R = 1/N Σ n_ij² / n_i·

    The n_ij articles of a cell all have the same precision n_ij / n_·j.
    """
    squares = table.counts.astype(np.float64) ** 2
    precision = float((squares / table.found_sizes[table.columns]).sum() / table.total)
    recall = float((squares / table.true_sizes[table.rows]).sum() / table.total)
    # Both are above 0: every article is found at least with itself.
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))
