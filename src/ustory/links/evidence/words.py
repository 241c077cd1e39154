"""Evidence by words: TF-IDF cosines of whole texts, and of titles and leads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory.core.article import PreparedArticle
from ustory.core.evidence import Pairs, Reason, plain_reason

# Log-odds per unit of each similarity, and the similarity at which it is neutral.
# Cosines of words enter by their roots, on which odds are near a line. They are those
# of long texts; `reliability` says what is left of them in short ones
# (docs/decisions/0103).
BODY, BODY_EVEN = 15.0, 0.10
LEAD, LEAD_EVEN = 7.0, 0.13

HALF = 40.0
"""Terms of a text that say half of what a text without end would."""


class WordEvidence:
    """The words of two articles. Every article has its terms, so it keeps no column."""

    name = "words"
    most = BODY * (1 - math.sqrt(BODY_EVEN)) + LEAD * (1 - math.sqrt(LEAD_EVEN))

    def column(self, prepared: PreparedArticle) -> None:
        """Return None: terms are kept for every article."""
        del prepared

    def candidates(self, columns: Sequence[NDArray[Any]], new: int) -> None:
        """Return None: pairs with common words are always scored."""
        del columns, new

    def log_odds(self, pairs: Pairs) -> Vector:
        """Return the log-odds by words; without leads, bodies count for both."""
        if pairs.lead is None:
            odds = body_log_odds(pairs.body)
        else:
            odds = word_log_odds(pairs.body, pairs.lead)
        odds = odds * pair_reliability(pairs)
        # in two languages hardly a word is the same, which says nothing
        return np.where(pairs.across, np.maximum(odds, 0.0), odds)

    def reason(self, odds: float) -> Reason:
        """Return what the words say."""
        return plain_reason(self.name, odds)


def reliability(length: Indices) -> Vector:
    """Return how much of what words could say the terms of a text do say.

    A text is a sample of what there is to say: the share of its words that is not
    accident grows with their number (Spearman 1910, Brown 1910).

    >>> reliability(np.array([0, 10, 40, 360])).tolist()
    [0.0, 0.2, 0.5, 0.9]
    """
    return np.asarray(length / (length + HALF), dtype=np.float64)


def pair_reliability(pairs: Pairs) -> Vector:
    """Return the reliability of the words of pairs: the mean of both, by geometry."""
    if pairs.length is None:
        return np.ones(len(pairs))
    each = reliability(pairs.length)
    return np.sqrt(each[pairs.newer] * each[pairs.older])


def word_log_odds(body: Vector, lead: Vector) -> Vector:
    """Return the log-odds of pairs from the word cosines of bodies and leads."""
    return BODY * (_root(body) - math.sqrt(BODY_EVEN)) + LEAD * (
        _root(lead) - math.sqrt(LEAD_EVEN)
    )


def body_log_odds(body: Vector) -> Vector:
    """Return the log-odds of pairs from the word cosines of bodies alone."""
    return (BODY + LEAD) * (_root(body) - math.sqrt(BODY_EVEN))


def _root(cosine: Vector) -> Vector:
    return np.sqrt(np.maximum(cosine, 0.0))
