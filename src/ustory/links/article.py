"""An article of the window as links see it: weighted words and one meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Counts, Indices, Mask, Matrix
from ustory.core.article import Article, PreparedArticle
from ustory.core.evidence import Evidence
from ustory.core.rules import (
    FAR,
    MAX_DAYS,
    MAX_TERMS,
    Alike,
    Arrays,
    Ascending,
    PositionsIn,
    Rule,
    Shares,
    Total,
    Within,
)
from ustory.links.word_scan import put_in_order
from ustory.window.panes import day_of
from ustory.window.raw_buffers import reduce_by_init, row_of
from ustory.window.unassigned import UnassignedArticle

TITLE = 2.0
"""How much more a term weighs that the title has too: editors choose its words."""

LEAD = 3
"""Sentences after the title that make the lead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedArticle:
    """What is kept of an article while it is in the window."""

    id: str
    serial: int
    """Its place in the stream: by slide, then by time, then by id."""
    pane: int
    day: float
    """When it was published, in days since the epoch; where that is doubtful, when it
    was there for certain."""
    source: str
    terms: Indices
    """Distinct term numbers, ascending."""
    tf: Counts
    """Appearances of each term in the whole article."""
    in_title: Mask
    """Which terms the title has, too."""
    cells: Counts
    """Number of sentences that hold each term."""
    sentence: Indices
    """Those sentences, term by term."""
    count: Counts
    """Appearances in each of them."""
    lead: Indices
    """Where the words of title and lead are among `terms`."""
    lead_tf: Counts
    vector: Matrix
    """Mean of its sentence vectors, of unit length."""
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """What evidence needs beside, by its name: arrays of one axis."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int32", "terms", "tf", "lead", "lead_tf"),
        Arrays("int8 int16 int32 int64", "cells", "sentence", "count"),
        Arrays("bool", "in_title"),
        Arrays("float32", "vector"),
        Alike("terms", "tf", "in_title", "cells"),
        Alike("sentence", "count"),
        Alike("lead", "lead_tf"),
        Within(-FAR, FAR, "pane"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, FAR, "serial", "terms", "sentence"),
        Within(1, MAX_TERMS, "tf", "cells", "count", "lead_tf"),
        Within(-2, 2, "vector"),
        Total(MAX_TERMS, "tf"),
        Ascending("terms"),
        Shares("cells", "sentence"),
        PositionsIn("lead", "terms"),
        Ascending("lead"),
    )
    length: int = field(init=False, compare=False)
    """Term appearances in all."""
    buffers: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """For compiled loops: the number of terms, the addresses of terms and tf."""

    def __post_init__(self) -> None:
        """Note the length, and where the arrays lie."""
        object.__setattr__(self, "length", int(self.tf.sum()))
        object.__setattr__(self, "buffers", row_of(self.terms, self.tf))

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild through `__init__`: unpickled arrays have other addresses."""
        return reduce_by_init(self)

    def renumber(self, moved: Indices) -> LinkedArticle:
        """Return the same article under another vocabulary, which keeps the order."""
        return replace(self, terms=moved[self.terms])


def linked_articles(
    new: Sequence[tuple[PreparedArticle, UnassignedArticle]],
    first: int,
    evidence: Sequence[Evidence] = (),
) -> list[LinkedArticle]:
    """Return new articles in order of time, then of id, numbered from `first` on.

    Each has the column of every evidence that needs one.
    """
    ordered = sorted(new, key=lambda n: (_since(n[0].article), n[1].id))
    return [
        _linked(prepared, counted, first + place, evidence)
        for place, (prepared, counted) in enumerate(ordered)
    ]


def _since(article: Article) -> datetime:
    """Return when an article was there for certain, or for all that is known."""
    if article.doubtful and article.fetched_at is not None:
        return max(article.published_at, article.fetched_at)
    return article.published_at


def _linked(
    prepared: PreparedArticle,
    counted: UnassignedArticle,
    serial: int,
    evidence: Sequence[Evidence],
) -> LinkedArticle:
    article = prepared.article
    title = 1 if article.title.strip() else 0
    order = np.argsort(counted.terms)
    head = np.zeros(len(order), dtype=np.int32)
    named = np.zeros(len(order), dtype=bool)
    sentence, count = np.empty_like(counted.sentence), np.empty_like(counted.count)
    put_in_order(
        order,
        (counted.cells, counted.sentence, counted.count, prepared.counts.second),
        (title, title + LEAD),
        (sentence, count, head, named),
    )
    lead = np.flatnonzero(head)
    return LinkedArticle(
        id=article.id,
        serial=serial,
        pane=counted.pane,
        day=day_of(_since(article)),
        source=article.source or "",
        terms=counted.terms[order],
        tf=counted.tf[order],
        in_title=named,
        cells=_narrow(counted.cells[order]),
        sentence=_narrow(sentence),
        count=_narrow(count),
        lead=lead.astype(np.int32),
        lead_tf=head[lead],
        vector=_mean(prepared),
        columns={
            each.name: column
            for each in evidence
            if (column := each.column(prepared)) is not None
        },
    )


def _narrow(numbers: Counts) -> Counts:
    """Return the same numbers in the smallest dtype that holds them.

    They are read for explanations only, and would be a third of a large window.
    """
    most = int(numbers.max()) if len(numbers) else 0
    return numbers.astype(np.min_scalar_type(-1 - most))


def _mean(prepared: PreparedArticle) -> Matrix:
    mean = prepared.vectors.mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, dtype=np.float32)
