"""Evidence by gist: what title and lead mean, in whatever language or words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory.core.article import PreparedArticle
from ustory.core.evidence import Pairs, Reason, plain_reason
from ustory.links.evidence.meaning import row_cosines
from ustory.links.evidence.words import pair_reliability
from ustory.links.near_vectors import nearest, quantised
from ustory.text.languages import language_number

GIST, GIST_EVEN = 10.0, 0.35
"""Log-odds per unit of the cosine of two gists in one language, where texts have no
words to compare, and the cosine at which it is neutral."""

LONG = 2.0
"""Power of what the words of two texts leave open: a gist is of the lead alone, so of
long texts it says less than the meaning of the whole."""

ACROSS, ACROSS_EVEN = 16.0, 0.45
"""The same in two languages, whatever the words say."""


class GistEvidence:
    """The meaning of title and lead, taken as one text by a multilingual encoder."""

    name = "gist"
    most = max(GIST * (1 - GIST_EVEN), ACROSS * (1 - ACROSS_EVEN))

    def column(self, prepared: PreparedArticle) -> NDArray[Any] | None:
        """Return the number of the language, then the vector in whole numbers."""
        if prepared.gist is None:
            return None
        language = language_number(prepared.article.lang)
        return np.append(np.int16(language), quantised(prepared.gist[None])[0])

    def candidates(
        self, columns: Sequence[NDArray[Any]], new: int
    ) -> tuple[Indices, Indices] | None:
        """Return the nearest of each new article, in its language and in others."""
        if not len(columns):
            return None
        table = table_of(columns)
        if table.shape[1] < 2:  # nothing but a language
            return None
        return nearest(table[:, 1:], table[:, 0].astype(np.int64), new)

    def log_odds(self, pairs: Pairs) -> Vector:
        """Return the log-odds by gist: in one language, it says what words cannot."""
        if pairs.gists is None:
            return np.zeros(len(pairs))
        near = row_cosines(pairs.gists, pairs.newer, pairs.older)
        left = 1.0 - pair_reliability(pairs)
        inside = GIST * (near - GIST_EVEN) * left**LONG
        odds = np.where(pairs.across, ACROSS * (near - ACROSS_EVEN), inside)
        return np.where(pairs.both_gists, odds, 0.0)

    def reason(self, odds: float) -> Reason:
        """Return what the gist says."""
        return plain_reason(self.name, odds)


def table_of(
    columns: Sequence[NDArray[Any]], width: int | None = None
) -> NDArray[np.int16]:
    """Return columns as rows of one table, as wide as the widest if nothing is said.

    An article without a column, or with one of another width, has a row of 0.
    """
    if width is None:
        width = max(map(len, columns), default=1)
    table = np.zeros((len(columns), max(width, 1)), dtype=np.int16)
    for row, column in zip(table, columns, strict=True):
        if len(column) == width:
            row[:] = column
    return table
