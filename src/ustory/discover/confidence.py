"""How sure are we that an article belongs to a story? (Def 6)"""

from __future__ import annotations

import math

import numpy as np

from ustory.core.arrays import Counts, Vector

TIE = 1e-6
"""Similarities closer than this are equal: the older story wins, γ is met."""


def threshold(stories: int, temperature: float) -> float:
    """Confidence an article needs to join one of `stories` (Sec. 5.3).

        γ = 1 − (1 − 1/n)^T,  n = max(|C|, 2)

    1/n is what a blind guess among the stories would score; T asks for
    better odds than that. A lone story competes with an empty one.

    >>> threshold(2, temperature=2.0)
    0.75
    """
    share = 1.0 / max(stories, 2)
    return -math.expm1(temperature * math.log1p(-share))


def log_denominator(
    exponentials: Vector, candidates: Counts, stories: int
) -> Vector:
    """Return the log of the softmax denominator of Eq. 5 for each article.

    `exponentials` is Σ e^(T·sim) over the story's `candidates`; the others of
    the n = max(|C|, 2) stories share no keyword, so each of them adds e⁰.
    """
    return np.log(exponentials + (max(stories, 2) - candidates))


def is_assigned(similarity: Vector, log_odds: Vector) -> Vector:
    """Return which articles join their best story: sim > 0 and conf ≥ γ."""
    return (similarity > 0) & (log_odds >= -TIE)
