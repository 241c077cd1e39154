"""The prior: what is expected of a pair before its own evidence is read."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Indices, Vector

BASE = -0.75
"""Log-odds of two articles for which all evidence is neutral."""

OUTSIDE = -0.75
"""The same of an article and a text that is not in the stream, such as an example."""

CONTRAST = 0.4
"""How much of what their best links exceed `USUAL_BEST` by a pair must make up for."""

USUAL_BEST = 1.8
"""Log-odds of the best link of an article for which contrast adds nothing."""


def best_links(ends: tuple[Indices, Indices], odds: Vector) -> tuple[Vector, Vector]:
    """Return for each link the log-odds of the best link of either of its ends.

    >>> ends = np.array([1, 1, 2]), np.array([2, 3, 3])
    >>> [best.tolist() for best in best_links(ends, np.array([5.0, 1.0, 2.0]))]
    [[5.0, 5.0, 5.0], [5.0, 2.0, 2.0]]
    """
    if not len(odds):
        return odds, odds
    lowest = min(int(each.min()) for each in ends)
    one, other = (each - lowest for each in ends)
    best = np.full(int(max(one.max(), other.max())) + 1, -np.inf)
    for row in (one, other):
        np.maximum.at(best, row, odds)
    return best[one], best[other]


def contrast(one: Vector, other: Vector) -> Vector:
    """Return the log-odds that the best links of both ends give a pair.

    What a likeness is worth differs from stream to stream and from story to story: a
    cosine that is high among rumours is low among court reports. So a pair is read
    against the best that each of its articles has: where both have far better ones, the
    pair is more likely two stories of one subject; where neither has, it is as alike as
    articles of one story are here.
    """
    return -CONTRAST * (np.maximum((one + other) / 2, 0.0) - USUAL_BEST)


def probability(log_odds: Vector) -> Vector:
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -60, 60)))
