"""An article of the window as links see it: weighted words and one meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Counts, Indices, Mask, Matrix
from ustory.core.evidence import Evidence
from ustory.core.rules import (
    FAR,
    MAX_DAYS,
    MAX_TERMS,
    Alike,
    Arrays,
    Ascending,
    Holds,
    PositionsIn,
    Rule,
    Shares,
    Total,
    Within,
)
from ustory.links.sentence_scan import title_and_lead
from ustory.links.sentence_terms import SentenceTerms, since
from ustory.window.panes import day_of
from ustory.window.raw_buffers import reduce_by_init, row_of

_NONE = np.zeros(0, dtype=np.int16)

TITLE = 2.0
"""How much more a term weighs that the title has too: editors choose its words."""


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
        Holds(
            "a term must be in one of the sentences",
            # an article of an older format has no keys
            lambda keys, sentence: (
                not len(keys) or int(sentence.max(initial=0)) < len(keys)
            ),
            "keys",
            "sentence",
        ),
        PositionsIn("lead", "terms"),
        Ascending("lead"),
    )
    length: int = field(init=False, compare=False)
    """Term appearances in all."""
    language: int = field(init=False, compare=False)
    """The number of its language if it has a gist, else -1; one of zeros is none."""
    buffers: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """For compiled loops: the number of terms, the addresses of terms and tf."""

    def __post_init__(self) -> None:
        """Note the length, and where the arrays lie."""
        gist = self.columns.get("gist", _NONE)
        there = gist.ndim == 1 and gist[1:].any()
        language = int(gist[0]) if there else -1
        object.__setattr__(self, "length", int(self.tf.sum()))
        object.__setattr__(self, "language", language)
        object.__setattr__(self, "buffers", row_of(self.terms, self.tf))

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild through `__init__`: unpickled arrays have other addresses."""
        return reduce_by_init(self)

    def renumber(self, moved: Indices) -> LinkedArticle:
        """Return the same article under another vocabulary, which keeps the order."""
        return replace(self, terms=moved[self.terms])


def linked_articles(
    new: Sequence[SentenceTerms], first: int, evidence: Sequence[Evidence] = ()
) -> list[LinkedArticle]:
    """Return new articles in their order, numbered from `first` on.

    Each has the column of every evidence that needs one.
    """
    return [_linked(text, first + place, evidence) for place, text in enumerate(new)]


def _linked(
    text: SentenceTerms, serial: int, evidence: Sequence[Evidence]
) -> LinkedArticle:
    article = text.prepared.article
    cells, sentence, count = text.cells, text.sentence, text.count
    named, head = title_and_lead(cells, sentence, count, text.second, text.ends)
    lead = np.flatnonzero(head)
    return LinkedArticle(
        id=article.id,
        serial=serial,
        pane=text.pane,
        day=day_of(since(article)),
        source=article.source or "",
        terms=text.terms,
        tf=text.tf,
        in_title=named,
        cells=_narrow(cells),
        sentence=_narrow(sentence),
        count=_narrow(count),
        lead=lead.astype(np.int32),
        lead_tf=head[lead],
        vector=text.vector,
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
