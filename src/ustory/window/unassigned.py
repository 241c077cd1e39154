"""Unassigned articles of the window, one by one and as columns of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Counts, Indices, Matrix
from ustory.core.article import PreparedArticle
from ustory.core.rules import (
    FAR,
    MAX_TERMS,
    Alike,
    Arrays,
    Distinct,
    PositionsIn,
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
        Within(1, MAX_TERMS, "tf", "cells", "count"),
        Within(-2, 2, "vectors"),
        Total(MAX_TERMS, "tf"),
        Distinct("terms"),
        Shares("cells", "sentence"),
        PositionsIn("sentence", "vectors"),
    )
    length: int = field(init=False, compare=False)
    """Term appearances in all."""
    buffers: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """For compiled loops: the number of terms, the addresses of terms, tf, cells,
    sentence and count, the number of sentences, the address of their vectors."""

    def __post_init__(self) -> None:
        """Store the length, and the addresses of the arrays."""
        object.__setattr__(self, "length", int(self.tf.sum()))
        columns = (self.terms, self.tf, self.cells, self.sentence, self.count)
        object.__setattr__(self, "buffers", article_row_of(columns, self.vectors))

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild through `__init__`: unpickled arrays have other addresses."""
        return reduce_by_init(self)

    def on_its_own(self) -> UnassignedArticle:
        """Return the article with its own vectors, not a view of a larger array."""
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

    def __reduce__(self) -> tuple[type[Batch], tuple[Any, ...]]:
        """Pickle as columns: thousands of small arrays would take longer than the work.

        Cached values are not pickled, because addresses belong to one process.
        """
        if not self.articles:
            return Batch, ((),)
        # cache the columns on a throw-away copy: `self` may live much longer
        copy = self.without_cache()
        rows = [article.sentence for article in self.articles]
        return UnpickledBatch, (
            [article.id for article in self.articles],
            (
                copy.buffers[:, 0],
                np.array([len(r) for r in rows]),
                copy.buffers[:, 6],
            ),
            (copy.pane, copy.terms, copy.tf, copy.cells, copy.count),
            _join(rows),
            copy.vectors,
        )

    def without_cache(self) -> Batch:
        """Return the same articles without cached columns."""
        return Batch(self.articles)

    @cached_property
    def buffers(self) -> Indices:
        """(articles, 8) what compiled loops need to read the articles in place."""
        table = [article.buffers for article in self.articles]
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
        return _starts(self.buffers[:, 0])

    @cached_property
    def article(self) -> Indices:
        """(entries,) which article each entry is of."""
        numbers = np.arange(len(self), dtype=np.int32)
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
        return _starts(self.buffers[:, 6])

    @cached_property
    def pane(self) -> Indices:
        """(articles,) pane of each article."""
        return np.array([a.pane for a in self.articles], dtype=np.int64)

    @cached_property
    def vectors(self) -> Matrix:
        """(sentences, dim) all sentence vectors."""
        return np.concatenate([a.vectors for a in self.articles])


class UnpickledBatch(Batch):
    """An unpickled batch: it has the columns, and makes articles only if needed."""

    _ids_sizes_rows: tuple[Sequence[str], tuple[Indices, Indices, Indices], Indices]
    """Ids, the numbers of terms, cells and sentences, and `sentence` of each."""

    def __init__(
        self,
        ids: Sequence[str],
        sizes: tuple[Indices, Indices, Indices],
        columns: Sequence[Indices],
        rows: Indices,
        vectors: Matrix,
    ) -> None:
        pane, terms, tf, cells, count = columns
        held = [(terms, tf, cells), (rows, count), (vectors,)]
        for lengths, parts in zip(sizes, held, strict=True):
            total = int(lengths.sum()) if len(lengths) == len(ids) == len(pane) else -1
            if lengths.min(initial=0) < 0 or any(len(p) != total for p in parts):
                raise ValueError("the columns of a batch do not fit each other")
        whole = {"pane": pane, "terms": terms, "tf": tf, "cells": cells, "count": count}
        self.__dict__.update(whole, vectors=vectors)  # fill the cached properties
        object.__setattr__(self, "_ids_sizes_rows", (ids, sizes, rows))

    def __len__(self) -> int:
        return len(self.pane)

    def without_cache(self) -> Batch:
        """Return itself: nothing else refers to it."""
        return self

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        dim: int = self.vectors.shape[1]
        return dim

    @cached_property
    def buffers(self) -> Indices:
        """(articles, 8) what compiled loops need to read the columns in place."""
        _, (entries, cells, sentences), rows = self._ids_sizes_rows
        columns = (self.terms, self.tf, self.cells, rows, self.count)
        _, *places, _, vectors = article_row_of(columns, self.vectors)
        steps = (entries, entries, entries, cells, cells)
        table = [entries]
        for place, size in zip(places, steps, strict=True):
            table.append(place + rows.itemsize * _before(size))
        row = self.vectors.itemsize * self.dim
        return np.stack([*table, sentences, vectors + row * _before(sentences)], axis=1)

    @cached_property
    def articles(self) -> Sequence[UnassignedArticle]:
        """The articles themselves; they are views of the columns."""
        ids, (entries, cells, sentences), rows = self._ids_sizes_rows
        return [
            UnassignedArticle(
                id=id_,
                pane=pane,
                terms=terms,
                tf=tf,
                cells=held,
                sentence=sentence,
                count=count,
                vectors=vectors,
            )
            for id_, pane, terms, tf, held, sentence, count, vectors in zip(
                ids,
                self.pane.tolist(),
                *(_cut(each, entries) for each in (self.terms, self.tf, self.cells)),
                *(_cut(each, cells) for each in (rows, self.count)),
                _cut(self.vectors, sentences),
                strict=True,
            )
        ]


def _before(sizes: Indices) -> Indices:
    """Return where parts of these sizes begin."""
    return np.cumsum(sizes) - sizes


def _cut(column: NDArray[Any], sizes: Indices) -> list[NDArray[Any]]:
    """Return the parts of a column that have these sizes."""
    starts = _before(sizes)
    bounds = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
    return [column[start:end] for start, end in bounds]


def _join(parts: Sequence[Indices]) -> Indices:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _starts(sizes: Indices) -> Indices:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
