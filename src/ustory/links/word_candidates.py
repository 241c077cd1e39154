"""Word evidence: cosines of new articles with the window, body and lead."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.threads import thread_count
from ustory.links.article import TITLE, LinkedArticle
from ustory.links.nearest_scan import SearchLimits, fill_rare, search_rows
from ustory.links.word_scan import (
    FoundPairs,
    NewIndex,
    Postings,
    Rows,
    Weighed,
    near_pairs,
    postings,
    row_products,
    weigh_leads,
    weigh_rows,
)
from ustory.window.raw_buffers import SCRATCH

FLOOR = 0.02
"""Word cosine below which two articles are no candidates for a link."""

_CHUNK = 256
"""Articles of the window that one task compares. Fixed, so that results never depend
on the number of threads."""


def candidates(
    articles: Sequence[LinkedArticle], rows: Indices, idf: Vector
) -> FoundPairs:
    """Return the pairs of the articles in some rows with all that come before them.

    Pairs are those that have words in common. Weights are (1 + ln tf) · idf, those
    of terms in the title doubled. `rows` are ascending, and so are the newer of pairs.
    """
    pairs = _near(articles, rows, idf) if len(rows) else []
    columns = [np.concatenate(column) for column in zip(*pairs, strict=True)]
    newer, older, near, early = columns or [*np.zeros((2, 0), int), *np.zeros((2, 0))]
    # pairs come by the older article; few bits sort fastest
    order = np.argsort(newer.astype(np.min_scalar_type(len(rows))), kind="stable")
    return FoundPairs(rows[newer[order]], older[order], near[order], early[order])


def _near(
    articles: Sequence[LinkedArticle], new_rows: Indices, idf: Vector
) -> list[FoundPairs]:
    """Return pairs in order of the older; `newer` are places in `new_rows`."""
    weighed, leads = _weighed(articles, idf), lead_rows(articles, idf)
    chosen, new = [articles[row] for row in new_rows.tolist()], len(new_rows)
    index = NewIndex(
        _index(body_rows(chosen, idf), "body", len(idf)),
        _index(lead_rows(chosen, idf), "lead", len(idf)),
        new_rows,
    )

    def chunk(low: int) -> FoundPairs:
        block = low, min(low + _CHUNK, len(articles))
        out = _room((block[1] - low) * new)
        count = near_pairs(block, weighed, leads, index, FLOOR, out)
        return out.head(count)

    with ThreadPoolExecutor(thread_count()) as workers:
        return list(workers.map(chunk, range(0, len(articles), _CHUNK)))


def _index(rows: Rows, name: str, vocabulary: int) -> Postings:
    """Return the postings of rows in scratch memory.

    It is overwritten by the next call with the same name.
    """
    found: Postings = postings(rows, SCRATCH.zeros(f"index: {name}", vocabulary + 2))
    return found


def _room(pairs: int) -> FoundPairs:
    """Return columns for so many pairs."""
    rows, cosines = np.empty((2, pairs), dtype=np.int64), np.empty((2, pairs))
    return FoundPairs(*rows, *cosines)


def pair_cosines(rows: Rows, first: Indices, second: Indices) -> Vector:
    """Return the cosine of each pair of rows."""
    found = np.empty(len(first))
    row_products(rows, first, second, found)
    return found


def _weighed(articles: Sequence[LinkedArticle], idf: Vector) -> Weighed:
    buffers = _buffers(articles)
    title = np.concatenate([np.zeros(0, bool), *(a.in_title for a in articles)])
    most = max((a.length for a in articles), default=0)
    of_tf = np.append(0.0, _weights(np.arange(1, most + 1)))
    return Weighed(buffers, _starts(buffers[:, 0]), title, of_tf, idf, TITLE)


def body_rows(articles: Sequence[LinkedArticle], idf: Vector) -> Rows:
    """Return all terms of each article, weighted."""
    weighed = _weighed(articles, idf)
    values = np.empty(len(weighed.title), dtype=np.float32)
    weigh_rows(weighed, values)
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


@dataclass(frozen=True, slots=True)
class Nearness:
    """The words of a window, with an index of those that few articles have.

    Plain arrays, which any process can read.
    """

    body: Rows
    lead: Rows
    rare: Postings
    """Of terms that new articles have, and few articles in all."""

    @classmethod
    def of(cls, articles: Sequence[LinkedArticle], new: int, idf: Vector) -> Nearness:
        """Return the index of a window whose `new` last articles are to be searched."""
        body = body_rows(articles, idf)
        wanted = np.zeros(len(idf) // 8 + 1, dtype=np.uint8)
        first = np.zeros(len(idf) + 2, dtype=np.int32)
        rare = fill_rare(body, len(articles) - new, READ, wanted, first)
        return cls(body, lead_rows(articles, idf), rare)


def shards(articles: int, new: int) -> list[Shard]:
    """Return the rows of the `new` last articles, in shards.

    >>> shards(1000, 300)
    [(700, 956), (956, 1000)]
    """
    return [
        (low, min(low + SHARD, articles))
        for low in range(articles - new, articles, SHARD)
    ]


def search(shard: Shard, window: Nearness) -> FoundPairs:
    """Return the nearest older articles of each in a shard, by row, then by older."""
    low, high = shard
    out = _room((high - low) * CLOSEST)
    limits = SearchLimits(READ, CLOSEST, FLOOR)
    count = search_rows(shard, window.body, window.lead, window.rare, limits, out)
    newer, older, body, lead = out.head(count)
    return FoundPairs(newer.copy(), older.copy(), body.copy(), lead.copy())
