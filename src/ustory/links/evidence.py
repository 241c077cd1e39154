"""The log-odds that two articles tell one story: words, meaning, time, and chance."""

from __future__ import annotations

import math

import numpy as np

from ustory.core.arrays import Vector

# Log-odds per unit of each similarity, and the similarity at which it speaks neither
# for one story nor against. Cosines of words enter by their roots, on which odds are
# near a line. Round numbers, most of them on a plateau; the even points are not
# (docs/decisions/0020).
BODY, BODY_EVEN = 15.0, 0.10
LEAD, LEAD_EVEN = 7.0, 0.13
MEANING, MEANING_EVEN = 2.0, 0.35
BASE = -0.75
"""Log-odds of two articles that are even in everything."""

USUAL = 0.07
"""(1 + mates) / window of a stream in which chance adds nothing."""

FEW = 2.0
"""1 + rivals of an article that are too few for chance to matter."""


def word_evidence(body: Vector, lead: Vector) -> Vector:
    """Return what the word cosines of pairs say."""
    return BODY * (_root(body) - math.sqrt(BODY_EVEN)) + LEAD * (
        _root(lead) - math.sqrt(LEAD_EVEN)
    )


def body_evidence(body: Vector) -> Vector:
    """Return what the word cosines of pairs say where leads are left out."""
    return (BODY + LEAD) * (_root(body) - math.sqrt(BODY_EVEN))


def meaning_evidence(cosine: Vector) -> Vector:
    """Return what the cosines of meanings say."""
    return MEANING * (cosine - MEANING_EVEN)


def chance(mates: float, articles: int, rivals: float = math.inf) -> float:
    """Return what the odds of any pair are worth, to be added to every evidence.

    Among many articles most pairs are of different stories, so a likeness has to
    be greater. Half of the logarithm: a story's rivals are those of its subject,
    whose number grows more slowly than that of all articles. Where an article has
    but few `rivals`, of however many others, it is their number that counts.
    """
    among_all = 0.5 * math.log((1 + mates) / max(articles, 2) / USUAL)
    return max(among_all, -math.log((1 + rivals) / FEW))


def probability(log_odds: Vector) -> Vector:
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -60, 60)))


def _root(cosine: Vector) -> Vector:
    return np.sqrt(np.maximum(cosine, 0.0))
