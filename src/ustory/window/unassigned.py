"""Unassigned articles of the window, whole, and many of them as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix
from ustory.core.article import PreparedArticle
from ustory.window.addresses import article_row_of, put_back


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
    length: int = field(init=False, compare=False)
    """Term appearances in all."""
    where: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """For compiled loops: the number of terms, the addresses of terms, tf, cells,
    sentence and count, the number of sentences, the address of their vectors."""

    def __post_init__(self) -> None:
        """Note the length, and where the arrays lie."""
        object.__setattr__(self, "length", int(self.tf.sum()))
        columns = (self.terms, self.tf, self.cells, self.sentence, self.count)
        object.__setattr__(self, "where", article_row_of(columns, self.vectors))

    def __setstate__(self, state: Sequence[Any]) -> None:
        """Note anew where the arrays lie: pickled, they lie elsewhere."""
        put_back(self, state)

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


@dataclass(frozen=True)
class Batch:
    """Columns over several unassigned articles, for whole-array arithmetic."""

    articles: Sequence[UnassignedArticle]

    def __len__(self) -> int:
        return len(self.articles)

    def __reduce__(self) -> tuple[type[Batch], tuple[Sequence[UnassignedArticle]]]:
        return Batch, (self.articles,)  # addresses are of one process

    @cached_property
    def where(self) -> Indices:
        """(articles, 8) what compiled loops need to read the articles in place."""
        table = [article.where for article in self.articles]
        return np.array(table, dtype=np.int64).reshape(len(table), 8)

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return self.articles[0].vectors.shape[1] if self.articles else 0

    @cached_property
    def terms(self) -> Indices:
        """(entries,) term numbers of all articles, one after the other."""
        return _join([a.terms for a in self.articles])

    @cached_property
    def tf(self) -> Counts:
        """(entries,) appearances of each term in its article."""
        return _join([a.tf for a in self.articles])

    @cached_property
    def entry_start(self) -> Indices:
        """(articles + 1,) where each article's entries begin."""
        return _starts(self.where[:, 0])

    @cached_property
    def article(self) -> Indices:
        """(entries,) which article each entry is of."""
        numbers = np.arange(len(self.articles), dtype=np.int32)
        return np.repeat(numbers, np.diff(self.entry_start))

    @cached_property
    def cells(self) -> Counts:
        """(entries,) number of sentences that hold each entry's term."""
        return _join([a.cells for a in self.articles])

    @cached_property
    def cell_start(self) -> Indices:
        """(entries,) where each entry's cells begin in `sentence`."""
        return np.cumsum(self.cells, dtype=np.int32) - self.cells

    @cached_property
    def sentence(self) -> Indices:
        """(cells,) row of `vectors` of each cell."""
        rows = [a.sentence for a in self.articles]
        shift = np.repeat(self.sentence_start[:-1], [len(row) for row in rows])
        return _join(rows) + shift

    @cached_property
    def count(self) -> Counts:
        """(cells,) appearances in that sentence."""
        return _join([a.count for a in self.articles])

    @cached_property
    def sentence_start(self) -> Indices:
        """(articles + 1,) row of each article's first sentence."""
        return _starts(self.where[:, 6])

    @cached_property
    def pane(self) -> Indices:
        """(articles,) pane of each article."""
        return np.array([a.pane for a in self.articles], dtype=np.int64)

    @cached_property
    def vectors(self) -> Matrix:
        """(sentences, dim) all sentence vectors."""
        return np.concatenate([a.vectors for a in self.articles])


def _join(parts: Sequence[Indices]) -> Indices:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _starts(sizes: Indices) -> Indices:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
