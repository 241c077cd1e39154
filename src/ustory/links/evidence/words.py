"""Evidence by words: TF-IDF cosines of whole texts, and of titles and leads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Vector
from ustory.core.article import PreparedArticle
from ustory.core.evidence import Pairs, Reason, plain_reason

# Log-odds per unit of each similarity, and the similarity at which it is neutral.
# Cosines of words enter by their roots, on which odds are near a line. Round numbers,
# most of them on a plateau; the neutral points are not (docs/decisions/0020).
BODY, BODY_EVEN = 15.0, 0.10
LEAD, LEAD_EVEN = 7.0, 0.13


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
            return body_log_odds(pairs.body)
        return word_log_odds(pairs.body, pairs.lead)

    def reason(self, odds: float) -> Reason:
        """Return what the words say."""
        return plain_reason(self.name, odds)


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
