"""Word evidence: cosines of new articles with the window, body and lead."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Counts, Indices, Mask, Matrix, Vector
from ustory.core.threads import thread_count
from ustory.links.article import TITLE, LinkedArticle
from ustory.links.evidence.time import NODES, SURE, VAGUE
from ustory.links.nearest_scan import fill_rare, search_rows
from ustory.links.word_scan import (
    count_gaps,
    fill_postings,
    near_pairs,
    row_products,
    weigh_leads,
    weigh_rows,
)
from ustory.window.raw_buffers import SCRATCH

FLOOR = 0.02
"""Word cosine below which two articles are no candidates for a link."""

_CHUNK = 256
"""Articles of the window that are compared in one go. Fixed, so that results never
depend on how many go at the same time."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Weighted terms of many articles, one after the other, each of unit length."""

    start: Indices
    terms: Indices
    values: Matrix

    def index(self, name: str, vocabulary: int) -> tuple[Indices, Indices, Matrix]:
        """Return for each term where its entries begin, their rows and values.

        It is good until an index of this name is asked for again.
        """
        first = SCRATCH.zeros(f"index: {name}", vocabulary + 2)
        return first, *fill_postings(self.start, self.terms, self.values, first)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of a new article and an older one, or one of the same slide."""

    newer: Indices
    """Row in the window, ascending."""
    older: Indices
    """Row in the window, below `newer`."""
    body: Vector
    """Cosine of all their terms."""
    lead: Vector
    """Cosine of the words of their titles and leads."""
    sure: Vector
    vague: Vector
    """Gaps of all new pairs, as `Gaps` counts them."""

    def only(self, keep: Mask) -> Candidates:
        """Return the pairs marked in `keep`; the gaps are of all, as before."""
        return replace(
            self,
            newer=self.newer[keep],
            older=self.older[keep],
            body=self.body[keep],
            lead=self.lead[keep],
        )


def candidates(
    articles: Sequence[LinkedArticle], rows: Indices, idf: Vector, unit: float
) -> Candidates:
    """Return the pairs of the articles in some rows with all that come before them.

    Pairs are those that have words in common. Weights are (1 + ln tf) · idf, those
    of terms in the title doubled. `rows` are ascending; `unit` is the time between
    two nodes of `Gaps`, in days.
    """
    pairs = _near(articles, rows, idf) if len(rows) else []
    columns = [np.concatenate(column) for column in zip(*pairs, strict=True)]
    newer, older, near, early = columns or [*np.zeros((2, 0), int), *np.zeros((2, 0))]
    # pairs come by the older article; few bits sort fastest
    order = np.argsort(newer.astype(np.min_scalar_type(len(rows))), kind="stable")
    newer, older, near = rows[newer[order]], older[order], near[order]
    day = np.array([article.day for article in articles])
    gap = np.abs(day[newer] - day[older]) / unit
    sure, vague = np.zeros(NODES), np.zeros(NODES)
    count_gaps(near, gap, (SURE, *VAGUE), sure, vague)
    return Candidates(newer, older, near, early[order], sure, vague)


def _near(
    articles: Sequence[LinkedArticle], new_rows: Indices, idf: Vector
) -> list[tuple[Indices, Indices, Vector, Vector]]:
    """Return pairs in order of the older: the newer's place in `new_rows`, its row.

    Then the cosines of bodies and leads.
    """
    weighed, leads = _Weighed.of(articles, idf), lead_rows(articles, idf)
    chosen, new = [articles[row] for row in new_rows.tolist()], len(new_rows)
    index = (
        body_rows(chosen, idf).index("body", len(idf)),
        lead_rows(chosen, idf).index("lead", len(idf)),
        new_rows,
    )
    body = (weighed.buffers, weighed.title, weighed.start, weighed.weights)
    lead = (leads.start, leads.terms, leads.values)

    def chunk(low: int) -> tuple[Indices, Indices, Vector, Vector]:
        block = low, min(low + _CHUNK, len(articles))
        room = (block[1] - low) * new
        rows, cosines = np.empty((2, room), dtype=np.int64), np.empty((2, room))
        count = near_pairs(block, body, lead, index, FLOOR, (*rows, *cosines))
        return (*rows[:, :count], *cosines[:, :count])

    with ThreadPoolExecutor(thread_count()) as workers:
        return list(workers.map(chunk, range(0, len(articles), _CHUNK)))


def pair_cosines(rows: Rows, first: Indices, second: Indices) -> Vector:
    """Return the cosine of each pair of rows."""
    found = np.empty(len(first))
    row_products(rows.start, rows.terms, rows.values, first, second, found)
    return found


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What compiled loops need to weigh the terms of articles where they lie."""

    buffers: Indices
    """(articles, 3) the number of terms, the addresses of terms and tf."""
    start: Indices
    """(articles + 1,) where the terms of each begin in `title`."""
    title: Mask
    """(terms,) which terms the title has, too."""
    weights: tuple[Vector, Vector, float]
    """Of each tf, of each term, of a term in the title."""

    @classmethod
    def of(cls, articles: Sequence[LinkedArticle], idf: Vector) -> _Weighed:
        buffers = _buffers(articles)
        title = np.concatenate([np.zeros(0, bool), *(a.in_title for a in articles)])
        most = max((a.length for a in articles), default=0)
        of_tf = np.append(0.0, _weights(np.arange(1, most + 1)))
        return cls(buffers, _starts(buffers[:, 0]), title, (of_tf, idf, TITLE))


def body_rows(articles: Sequence[LinkedArticle], idf: Vector) -> Rows:
    """Return all terms of each article, weighted."""
    weighed = _Weighed.of(articles, idf)
    values = np.empty(len(weighed.title), dtype=np.float32)
    weigh_rows(weighed.buffers, weighed.title, weighed.weights, values)
    return Rows(weighed.start, _join([a.terms for a in articles]), values)


def lead_rows(articles: Sequence[LinkedArticle], idf: Vector) -> Rows:
    """Return the words of each article's title and lead, weighted."""
    buffers = _buffers(articles)
    start = _starts([len(a.lead) for a in articles])
    weight = _weights(_join([a.lead_tf for a in articles]))
    terms = np.empty(len(weight), dtype=np.int32)
    values = np.empty(len(weight), dtype=np.float32)
    lead = _join([a.lead for a in articles])
    weigh_leads(buffers, start, lead, weight, idf, terms, values)
    return Rows(start, terms, values)


def _buffers(articles: Sequence[LinkedArticle]) -> Indices:
    return np.array([a.buffers for a in articles], dtype=np.int64).reshape(-1, 3)


def _join(parts: Sequence[Indices]) -> Indices:
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _starts(sizes: Sequence[int] | Indices) -> Indices:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _weights(tf: Counts) -> Vector:
    return 1.0 + np.log(tf.astype(np.float64))


READ = 8_192
"""Entries of the window's articles that a new one reads, those of its rarest terms
first: what shares none of these has hardly a chance to be of its story."""

CLOSEST = 64
"""Articles that share most of these terms and are compared in full: more than an
article may have links, because rare terms alone give a slightly different order."""

SHARD = 256
"""New articles of a shard. Fixed, so that results never depend on who searches."""

Shard = tuple[int, int]
"""The first row of some new articles, and the one after the last."""

Found = tuple[Indices, Indices, Vector, Vector]
"""Of each pair the newer row, the older, and the cosines of bodies and leads."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """The words of a window, with an index of those that few articles have.

    Plain arrays, which any process can read.
    """

    body: Rows
    lead: Rows
    first: Indices
    """(vocabulary + 2,) where the entries of each term begin."""
    row: Indices
    value: Matrix

    @classmethod
    def of(cls, articles: Sequence[LinkedArticle], new: int, idf: Vector) -> Nearness:
        """Return the index of a window whose `new` last articles are to be searched."""
        body = body_rows(articles, idf)
        wanted = np.zeros(len(idf) // 8 + 1, dtype=np.uint8)
        first = np.zeros(len(idf) + 2, dtype=np.int32)
        columns = body.start, body.terms, body.values
        row, value = fill_rare(columns, len(articles) - new, READ, wanted, first)
        return cls(body, lead_rows(articles, idf), first, row, value)


def shards(articles: int, new: int) -> list[Shard]:
    """Return the rows of the `new` last articles, in shards.

    >>> shards(1000, 300)
    [(700, 956), (956, 1000)]
    """
    return [
        (low, min(low + SHARD, articles))
        for low in range(articles - new, articles, SHARD)
    ]


def search(shard: Shard, window: Nearness) -> Found:
    """Return the nearest older articles of each in a shard, by row, then by older."""
    low, high = shard
    room = (high - low) * CLOSEST
    rows, cosines = np.empty((2, room), dtype=np.int64), np.empty((2, room))
    count = search_rows(
        shard,
        (window.body.start, window.body.terms, window.body.values),
        (window.lead.start, window.lead.terms, window.lead.values),
        (window.first, window.row, window.value),
        (READ, CLOSEST, FLOOR),
        (*rows, *cosines),
    )
    newer, older = rows[:, :count].copy()
    near, early = cosines[:, :count].copy()
    return newer, older, near, early
