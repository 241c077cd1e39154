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
from ustory.links.furniture import (
    PHRASE,
    Furniture,
    is_among,
    outlet_key,
    sentence_keys,
)
from ustory.links.word_scan import put_in_order
from ustory.window.panes import day_of
from ustory.window.raw_buffers import reduce_by_init, row_of
from ustory.window.unassigned import UnassignedArticle

TITLE = 2.0
"""How much more a term weighs that the title has too: editors choose its words."""

LEAD = 3
"""Sentences after the title that make the lead, furniture not counted."""

_NO_NUMBERS = np.zeros(0, dtype=np.int64)


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
    keys: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """What each sentence is known by (`sentence_keys`). Of sentences that are page
    furniture nothing is kept but this."""
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """What evidence needs beside, by its name: arrays of one axis."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int32", "terms", "tf", "lead", "lead_tf"),
        Arrays("int8 int16 int32 int64", "cells", "sentence", "count"),
        Arrays("bool", "in_title"),
        Arrays("float32", "vector"),
        Arrays("int64", "keys"),
        Alike("terms", "tf", "in_title", "cells"),
        Alike("sentence", "count"),
        Alike("lead", "lead_tf"),
        Within(-FAR, FAR, "pane"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, FAR, "serial", "terms", "sentence"),
        Within(1, MAX_TERMS, "tf", "cells", "count", "lead_tf"),
        Within(-2, 2, "vector"),
        Within(0, 2**63 - 1, "keys"),
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


def in_order(
    new: Sequence[tuple[PreparedArticle, UnassignedArticle]],
) -> list[tuple[PreparedArticle, UnassignedArticle]]:
    """Return new articles in order of time, then of id."""
    return sorted(new, key=lambda n: (_since(n[0].article), n[1].id))


def linked_articles(
    new: Sequence[tuple[PreparedArticle, UnassignedArticle]],
    first: int,
    evidence: Sequence[Evidence] = (),
    furniture: Furniture | None = None,
) -> list[LinkedArticle]:
    """Return new articles in order of time, then of id, numbered from `first` on.

    Each has the column of every evidence that needs one, and no sentence that is
    furniture.
    """
    known = (_NO_NUMBERS, _NO_NUMBERS)
    if furniture is not None:
        known = furniture.sentences.known, furniture.phrases.known
    return [
        _linked(_Text.of(prepared, counted, *known), first + place, evidence)
        for place, (prepared, counted) in enumerate(in_order(new))
    ]


def _since(article: Article) -> datetime:
    """Return when an article was there for certain, or for all that is known."""
    if article.doubtful and article.fetched_at is not None:
        return max(article.published_at, article.fetched_at)
    return article.published_at


@dataclass(frozen=True, slots=True)
class _Text:
    """An article and its terms, without what is furniture of its pages."""

    prepared: PreparedArticle
    pane: int
    keys: Indices
    gone: Mask
    """Which sentences are furniture."""
    terms: Indices
    second: Indices
    """The second word of terms that are two, -1 of others."""
    tf: Counts
    cells: Counts
    sentence: Indices
    count: Counts

    @classmethod
    def of(
        cls,
        prepared: PreparedArticle,
        counted: UnassignedArticle,
        sentences: Indices,
        phrases: Indices,
    ) -> _Text:
        """Return an article without the sentences and phrases that are furniture."""
        keys = sentence_keys(prepared)
        gone = is_among(keys, sentences)
        second = prepared.counts.second
        columns = counted.terms, second, counted.tf, counted.cells
        term = np.repeat(np.arange(len(counted.terms)), counted.cells)
        dropped = gone[counted.sentence]
        dropped |= _of_phrases(prepared, counted, term, phrases)
        if not dropped.any():
            rest = counted.sentence, counted.count
            return cls(prepared, counted.pane, keys, gone, *columns, *rest)
        term, count = term[~dropped], counted.count[~dropped]
        cells = np.bincount(term, minlength=len(second)).astype(np.int32)
        tf = np.bincount(term, count, minlength=len(second)).astype(np.int32)
        there = cells > 0
        left = counted.terms[there], second[there], tf[there], cells[there]
        rest = counted.sentence[~dropped], count
        return cls(prepared, counted.pane, keys, gone, *left, *rest)

    @property
    def ends(self) -> tuple[int, int]:
        """The sentences before which title and lead end."""
        title = 1 if self.prepared.article.title.strip() else 0
        body = np.flatnonzero(~self.gone[title:])[:LEAD]
        return title, title + (int(body[-1]) + 1 if len(body) else 0)

    @property
    def mean(self) -> Matrix:
        """Mean of the sentence vectors, of unit length."""
        vectors = self.prepared.vectors
        if self.gone.any() and not self.gone.all():
            vectors = vectors[~self.gone]
        mean = vectors.mean(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length if length else mean, dtype=np.float32)


def _of_phrases(
    prepared: PreparedArticle, counted: UnassignedArticle, term: Indices, known: Indices
) -> Mask:
    """Return which cells are of phrases that are furniture, pairs and their words.

    `term` is the place of each cell's term among the terms of the article. A pair of
    words alone is none: it must stand among others of such a phrase.
    """
    found = np.zeros(len(term), dtype=bool)
    outlet = outlet_key(prepared.article.source)
    if not outlet or not len(known):
        return found
    counts = prepared.counts
    pair = is_among(outlet | counted.terms.astype(np.int64), known)
    pair &= counts.second >= 0
    cells = np.flatnonzero(pair[term])
    many = np.bincount(counted.sentence[cells], minlength=len(prepared.sentences))
    cells = cells[many[counted.sentence[cells]] >= PHRASE]
    found[cells] = True
    words = np.zeros((len(prepared.sentences), len(counts.words)), dtype=bool)
    for end in (counts.first, counts.second):
        words[counted.sentence[cells], end[term[cells]]] = True
    return found | (
        (counts.second[term] < 0) & words[counted.sentence, counts.first[term]]
    )


def _linked(text: _Text, serial: int, evidence: Sequence[Evidence]) -> LinkedArticle:
    article = text.prepared.article
    order = np.argsort(text.terms)
    head = np.zeros(len(order), dtype=np.int32)
    named = np.zeros(len(order), dtype=bool)
    sentence, count = np.empty_like(text.sentence), np.empty_like(text.count)
    put_in_order(
        order,
        (text.cells, text.sentence, text.count, text.second),
        text.ends,
        (sentence, count, head, named),
    )
    lead = np.flatnonzero(head)
    return LinkedArticle(
        id=article.id,
        serial=serial,
        pane=text.pane,
        day=day_of(_since(article)),
        source=article.source or "",
        terms=text.terms[order],
        tf=text.tf[order],
        in_title=named,
        cells=_narrow(text.cells[order]),
        sentence=_narrow(sentence),
        count=_narrow(count),
        lead=lead.astype(np.int32),
        lead_tf=head[lead],
        vector=text.mean,
        keys=text.keys,
        columns={
            each.name: column
            for each in evidence
            if (column := each.column(text.prepared)) is not None
        },
    )


def _narrow(numbers: Counts) -> Counts:
    """Return the same numbers in the smallest dtype that holds them.

    They are read for explanations only, and would be a third of a large window.
    """
    most = int(numbers.max()) if len(numbers) else 0
    return numbers.astype(np.min_scalar_type(-1 - most))
