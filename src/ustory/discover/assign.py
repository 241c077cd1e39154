"""Confidence-based story assignment (Sec. 5.3), for all articles at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Counts, Indices, Mask, Vector
from ustory.core.settings import Settings
from ustory.discover.confidence import TIE, is_assigned, log_denominator, threshold
from ustory.discover.pairs import Pairs
from ustory.discover.similarity import Similarities


@dataclass(frozen=True, slots=True)
class Verdicts:
    """For each article, its best pair, how sure that is, and the second best.

    A pair of -1 is none: the article shares no keyword with any story.
    """

    best: Indices
    runner_up: Indices
    similarity: Vector
    margin: Vector
    log_confidence: Vector
    log_odds: Vector
    log_denominator: Vector
    """ln Σ e^(T·sim) over all stories."""
    assigned: Mask
    stories: int


def decide(
    articles: int,
    pairs: Pairs,
    similarities: Similarities,
    stories: int,
    settings: Settings,
) -> Verdicts:
    """Return what each of `articles` articles should do, given its pairs."""
    sim = similarities.total
    best, second = _best_two(pairs, sim, articles)
    similarity = np.where(best >= 0, sim[best] if len(sim) else 0.0, 0.0)
    behind = np.where(second >= 0, sim[second] if len(sim) else 0.0, 0.0)
    exponentials = np.bincount(
        pairs.article, np.exp(settings.temperature * sim), articles
    )
    candidates: Counts = np.bincount(pairs.article, minlength=articles)
    denominator = log_denominator(exponentials, candidates, stories)
    log_confidence = settings.temperature * similarity - denominator
    log_odds = log_confidence - np.log(threshold(stories, settings.temperature))
    return Verdicts(
        best=best,
        runner_up=second,
        similarity=similarity,
        margin=similarity - behind,
        log_confidence=log_confidence,
        log_odds=log_odds,
        log_denominator=denominator,
        assigned=is_assigned(similarity, log_odds),
        stories=stories,
    )


def _best_two(pairs: Pairs, sim: Vector, articles: int) -> tuple[Indices, Indices]:
    """Return each article's most similar pair and the next; the older wins a tie."""
    best = _oldest_best(pairs, sim, articles)
    rest = sim.copy()
    rest[best[best >= 0]] = -1.0
    second = _oldest_best(pairs, rest, articles)
    alone = (second >= 0) & (rest[second] < 0 if len(rest) else False)
    second[alone] = -1
    return best, second


def _oldest_best(pairs: Pairs, sim: Vector, articles: int) -> Indices:
    """Return the first pair of each article within `TIE` of its maximum.

    Pairs of an article are sorted by story, and stories by age.
    """
    found = np.full(articles, -1, dtype=np.int64)
    if not len(sim):
        return found
    first = np.flatnonzero(np.diff(pairs.article, prepend=-1))
    highest = np.maximum.reduceat(sim, first)
    sizes = np.diff(first, append=len(sim))
    near = np.flatnonzero(sim >= np.repeat(highest, sizes) - TIE)
    leading = np.unique(pairs.article[near], return_index=True)[1]
    found[pairs.article[near[leading]]] = near[leading]
    return found
