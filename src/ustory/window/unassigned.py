"""Unassigned articles of the window, whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix
from ustory.core.article import PreparedArticle
from ustory.core.rules import (
    FAR,
    TERMS,
    Alike,
    Arrays,
    Distinct,
    Places,
    Rule,
    Shares,
    Total,
    Within,
)
from ustory.window.raw_buffers import article_row_of, reduce_by_init


@dataclass(frozen=True, slots=True, kw_only=True)
class UnassignedArticle:
    """An article that no story has yet: its terms by number, and its vectors.

    Cells are sorted by term; `cells[i]` of them are of `terms[i]`.
    """

    id: str
    pane: int
    terms: Indices
    """Distinct term numbers."""
    tf: Counts
    """Appearances of each term in the whole article."""
    cells: Counts
    """Number of sentences that hold each term."""
    sentence: Indices
    count: Counts
    vectors: Matrix
    """(sentences, dim) enc(s), float16 numbers held as float32 for speed."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int32", "terms", "tf", "cells", "sentence", "count"),
        Arrays("float32", "vectors", axes=2),
        Alike("terms", "tf", "cells"),
        Alike("sentence", "count"),
        Within(-FAR, FAR, "pane"),
        Within(0, FAR, "terms"),
        Within(1, TERMS, "tf", "cells", "count"),
        Within(-2, 2, "vectors"),
        Total(TERMS, "tf"),
        Distinct("terms"),
        Shares("cells", "sentence"),
        Places("sentence", "vectors"),
    )
    length: int = field(init=False, compare=False)
    """Term appearances in all."""
    buffers: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """For compiled loops: the number of terms, the addresses of terms, tf, cells,
    sentence and count, the number of sentences, the address of their vectors."""

    def __post_init__(self) -> None:
        """Note the length, and where the arrays lie."""
        object.__setattr__(self, "length", int(self.tf.sum()))
        columns = (self.terms, self.tf, self.cells, self.sentence, self.count)
        object.__setattr__(self, "buffers", article_row_of(columns, self.vectors))

    def __reduce__(self) -> tuple[Any, ...]:
        """Note anew where the arrays lie: pickled, they lie elsewhere."""
        return reduce_by_init(self)

    def on_its_own(self) -> UnassignedArticle:
        """Return the article with vectors that hold no others in memory."""
        if self.vectors.flags.owndata:
            return self
        return replace(self, vectors=self.vectors.copy())

    def renumber(self, moved: Indices) -> UnassignedArticle:
        """Return the same article under another vocabulary."""
        return replace(self, terms=moved[self.terms])


def open_article(
    prepared: PreparedArticle, pane: int, terms: Indices
) -> UnassignedArticle:
    """Return a new article as the window holds it until it is assigned."""
    counts = prepared.counts
    return UnassignedArticle(
        id=prepared.article.id,
        pane=pane,
        terms=terms,
        tf=counts.tf,
        cells=counts.cells,
        sentence=counts.sentence,
        count=counts.count,
        vectors=prepared.vectors.astype(np.float32, copy=False),
    )
