"""Counts how many articles each true story shares with each found one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustory.core.errors import ConfigError

Tally: TypeAlias = NDArray[np.int64]
"""Numbers of articles; 64 bits, because they are squared and multiplied."""


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """The cells of the table true stories × found stories that are not empty.

    It grows with the articles, never with stories × stories. Cell c says that
    `counts[c]` articles of true story `rows[c]` were put into found story
    `columns[c]`.
    """

    counts: Tally
    rows: Tally
    columns: Tally
    true_sizes: Tally
    """Articles of each true story; no zeros."""
    found_sizes: Tally
    """Articles of each found story; no zeros."""
    total: int

    @property
    def identical(self) -> bool:
        """Whether both sides group the articles in the same way."""
        return self.counts.size == self.true_sizes.size == self.found_sizes.size


def contingency(
    truth: Sequence[Hashable], predicted: Sequence[Hashable]
) -> Contingency:
    """Return the sparse table that every metric here is computed from.

    >>> contingency(["x", "x", "y"], [1, 2, 2]).counts.tolist()
    [1, 1, 1]
    """
    if len(truth) != len(predicted):
        raise ConfigError(
            "each article needs one true and one found story; "
            f"got {len(truth)} true and {len(predicted)} found labels"
        )
    if len(truth) == 0:
        raise ConfigError("there is nothing to score: give at least one article")
    rows, true_stories = _codes(truth)
    columns, found_stories = _codes(predicted)
    cells, counts = np.unique(rows * found_stories + columns, return_counts=True)
    return Contingency(
        counts=counts.astype(np.int64),
        rows=cells // found_stories,
        columns=cells % found_stories,
        true_sizes=np.bincount(rows, minlength=true_stories).astype(np.int64),
        found_sizes=np.bincount(columns, minlength=found_stories).astype(np.int64),
        total=len(truth),
    )


def _codes(labels: Sequence[Hashable]) -> tuple[Tally, int]:
    """Return a number for each label, by first appearance, and how many there are."""
    seen: dict[Hashable, int] = {}
    numbered = (seen.setdefault(label, len(seen)) for label in labels)
    return np.fromiter(numbered, dtype=np.int64, count=len(labels)), len(seen)
