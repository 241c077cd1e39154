"""How sure we are that an article belongs to a story (Def 6)."""

from __future__ import annotations

import math

import numpy as np

from ustory.core.arrays import Mask, Vector

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


def log_denominator(excess: Vector, stories: int) -> Vector:
    """Return the log of the softmax denominator of Eq. 5 for each article.

    `excess` is Σ (e^(T·sim) − 1) over the stories that share a keyword with
    it; every one of the n = max(|C|, 2) stories adds e⁰ besides.
    """
    return np.log(excess + max(stories, 2))


def is_assigned(similarity: Vector, log_odds: Vector) -> Mask:
    """Return which articles join their best story: sim > 0 and conf ≥ γ."""
    return (similarity > 0) & (log_odds >= -TIE)
