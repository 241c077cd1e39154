"""Word evidence in large windows: of each new article only the nearest are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.links.article import LinkedArticle
from ustory.links.nearest_scan import fill_rare, search_rows
from ustory.links.word_candidates import FLOOR, Rows, body_rows, lead_rows

READ = 8_192
"""Entries of the window's articles that a new one reads, those of its rarest terms
first: what shares none of these has hardly a chance to be of its story."""

CLOSEST = 64
"""Articles that share most of these terms, which are compared in full: more than
`slide.MOST` links, as rare terms alone put them in a slightly other order."""

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
