"""The prior: log-odds that any two articles report one story, before all evidence."""

from __future__ import annotations

import math

import numpy as np

from ustory.core.arrays import Vector

BASE = -0.75
"""Log-odds of two articles for which all evidence is neutral."""

USUAL = 0.07
"""(1 + mates) / window of a stream in which the prior adds nothing."""

FEW_RIVALS = 2.0
"""1 + rivals of an article below which their number does not matter."""


def chance(mates: float, articles: int, rivals: float = math.inf) -> float:
    """Return the prior log-odds of a pair among so many articles.

    Among many articles most pairs belong to different stories, so they must be more
    alike. Half of the logarithm: a story's rivals are those of its subject, whose
    number grows more slowly than that of all articles. If an article has only few
    `rivals`, their number counts, however many other articles there are.
    """
    among_all = 0.5 * math.log((1 + mates) / max(articles, 2) / USUAL)
    return max(among_all, -math.log((1 + rivals) / FEW_RIVALS))


def probability(log_odds: Vector) -> Vector:
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -60, 60)))
