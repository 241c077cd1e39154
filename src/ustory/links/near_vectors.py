"""Candidates by meaning: the nearest older articles of each new one, by vectors."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ustory.core.arrays import Counts, Indices, Mask, Matrix
from ustory.core.threads import thread_count
from ustory.links.near_lists import (
    LENGTH,
    Lists,
    Whole,
    as_floats,
    list_count,
    made_lists,
)

FLOOR = 0.35
"""Cosine below which two articles are no candidates by meaning: meaning begins to
speak for one story there (`evidence/meaning.py`)."""

_TOGETHER = 1_024
"""New articles that are searched at once, so that memory is linear in the window."""

_CHUNK = 1_024
"""Older articles that one task compares."""

_LEAST = round(FLOOR * LENGTH * LENGTH)
"""The dot product of two rows that is `FLOOR`."""

_ROW, _DOT = 28, 24
"""Bits of a row, and of a dot product, in a key."""


@dataclass(frozen=True, slots=True)
class NearLimits:
    """How much of a window a new article reads, and how many articles it is given."""

    near: int = 32
    """Older articles of its own language that it is given, and as many of others."""
    read: int = 24_576
    """Older articles of its own language after which it reads no further list, and as
    many of others. Of one list it reads no more, so it never reads twice as many."""


LIMITS = NearLimits()


def quantised(unit_rows: ArrayLike) -> Whole:
    """Return unit rows times 2048, rounded to whole numbers.

    Rounding makes a row of `dim` numbers longer by half the root of `dim` at most: by
    11.4 where there are 512. So it stays far below 4096.
    """
    rows = np.asarray(unit_rows, dtype=np.float64)
    return np.rint(rows * LENGTH).astype(np.int16)


def nearest(
    vectors: Whole, group: Indices, new: int, limits: NearLimits = LIMITS
) -> tuple[Indices, Indices]:
    """Return pairs, newer and older row: the nearest older rows of each new one.

    `vectors` are rows as `quantised` gives them, in order of arrival; the `new` last
    are those of new articles. `group` is the language of each, as a number. A new row
    is given the nearest before it of its own group, and as many of all other groups
    together, whose cosine is `FLOOR` at least. Of equally near ones the first to
    arrive counts as nearer. Pairs ascend by the newer, then by the older.

    Rows are shorter than 4096, or they are refused. So the sum of any of the products
    of two rows is a whole number below 2**24 (Cauchy and Schwarz), which float32 holds
    exactly: results are the same to the last bit, in whatever order and in however
    many threads it is added up.

    Every pair is compared in a window of up to twice `limits.read` articles, of which
    no more would be read with lists; and where there are at most twice as many new
    articles as lists, because it costs no more than making them. Else a new article
    is compared with those in the lists that are nearest to it (`near_lists`).

    Callers limit BLAS to one thread, as the engine does in a slide: the threads here
    and those of BLAS would wait for each other.
    """
    rows = len(vectors)
    with ThreadPoolExecutor(thread_count()) as workers:
        some = _squares(vectors, workers) > 0
        exact = rows <= 2 * limits.read or new <= 2 * list_count(rows)
        lists = Lists.one(rows) if exact else made_lists(vectors, workers)
        search = _Search(vectors, lists, limits, workers)
        keys = list(_pairs(search, group, some, rows - new))
    found = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))
    newer, older = np.divmod(found, max(rows, 1))
    return newer, older


def _squares(vectors: Whole, workers: Executor) -> Matrix:
    """Return the square of the length of each row; one of 2**24 or more is refused.

    A float32 sum of squares is exact below 2**24, and never falls below it again.
    """

    def task(low: int) -> Matrix:
        rows = as_floats(vectors[low : low + _CHUNK])
        found: Matrix = np.einsum("ij,ij->i", rows, rows)
        return found

    parts = workers.map(task, range(0, len(vectors), _CHUNK))
    squares = np.concatenate([np.zeros(0, dtype=np.float32), *parts])
    if squares.max(initial=0) >= 2**_DOT:
        raise ValueError("vectors are not unit rows times 2048")
    return squares


@dataclass(frozen=True, slots=True)
class _Search:
    """What new articles are compared with, and by whom."""

    vectors: Whole
    lists: Lists
    limits: NearLimits
    workers: Executor


@dataclass(frozen=True, slots=True)
class _Pool:
    """Some of the rows, list by list."""

    rows: Indices
    """Ascending in each list."""
    starts: Indices
    """(lists + 1,) where each list begins, and where the last ends."""

    @classmethod
    def of(cls, search: _Search, among: Mask) -> _Pool:
        """Return the rows that are marked; so few that all are read are one list."""
        lists = search.lists
        chosen = np.flatnonzero(among)
        if len(chosen) <= search.limits.read or not len(lists.centres):
            return cls(chosen, np.array([0, len(chosen)]))
        rows = lists.order[among[lists.order]]
        ends = np.arange(len(lists.centres) + 1)
        return cls(rows, np.searchsorted(lists.place[rows], ends))

    def older(self, queries: Indices) -> Counts:
        """Return (queries, lists), how many rows of each list are before each query."""
        before = [
            np.searchsorted(self.rows[start:end], queries)
            for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)
        ]
        return np.stack(before, axis=1)


def _pairs(
    search: _Search, group: Indices, some: Mask, first: int
) -> Iterator[Indices]:
    """Yield pairs of rows from `first` on, as newer · rows + older.

    Rows of nothing but zeros, which `some` does not mark, have no neighbours.
    """
    for language in np.unique(group[first:]):
        own = group == language
        new = first + np.flatnonzero((own & some)[first:])
        for among in (own & some, ~own & some):
            pool = _Pool.of(search, among)
            for low in range(0, len(new), _TOGETHER):
                queries = new[low : low + _TOGETHER]
                place, older = _nearest_of(search, pool, queries)
                yield queries[place] * len(group) + older


def _nearest_of(
    search: _Search, pool: _Pool, queries: Indices
) -> tuple[Indices, Indices]:
    """Return places in `queries`, and the rows of a pool that are nearest to each."""
    near = search.limits.near
    asked = as_floats(search.vectors[queries])
    counts = pool.older(queries)
    if len(pool.starts) == len(search.lists.centres) + 1:
        likeness = asked @ as_floats(search.lists.centres).T
        counts = _read(counts, likeness, search.limits.read)

    def task(part: tuple[int, int]) -> Indices:
        one, low = part
        most = counts[:, one]
        asking = np.flatnonzero(most > low)
        start = int(pool.starts[one]) + low
        rows = pool.rows[start : start + min(_CHUNK, int(most.max()) - low)]
        dots = asked[asking] @ as_floats(search.vectors[rows]).T
        query, column = np.divmod(np.flatnonzero(dots >= _LEAST), len(rows))
        keep = low + column < most[asking[query]]
        query, column = query[keep], column[keep]
        return _first(_keys(asking[query], dots[query, column], rows[column]), near)

    parts = [
        (one, low)
        for one, most in enumerate(counts.max(axis=0).tolist())
        for low in range(0, most, _CHUNK)
    ]
    found = [np.zeros(0, dtype=np.int64), *search.workers.map(task, parts)]
    keys = _first(np.concatenate(found), near)
    return keys >> (_ROW + _DOT), keys & (2**_ROW - 1)


def _read(counts: Counts, likeness: Matrix, limit: int) -> Counts:
    """Return how many rows of each list are read: of the nearest, up to the limit.

    A list is read whole, so what is read does not depend on the order of its rows; but
    where it has more rows than the limit, the first are read.
    """
    order = np.argsort(-likeness, axis=1, kind="stable")
    sizes = np.take_along_axis(counts, order, axis=1)
    before = np.cumsum(sizes, axis=1) - sizes
    sizes = np.where(before < limit, np.minimum(sizes, limit), 0)
    read = np.empty_like(sizes)
    np.put_along_axis(read, order, sizes, axis=1)
    return read


def _keys(query: Indices, dots: Matrix, rows: Indices) -> Indices:
    """Return numbers that ascend by query, then from near to far, then by row."""
    far = 2**_DOT - dots.astype(np.int64)
    keys: Indices = (query << (_ROW + _DOT)) + (far << _ROW) + rows
    return keys


def _first(keys: Indices, near: int) -> Indices:
    """Return the first keys of each query, ascending."""
    keys = np.sort(keys)
    query = keys >> (_ROW + _DOT)
    keep = np.ones(len(keys), dtype=np.bool_)
    keep[near:] = query[near:] != query[:-near]
    return keys[keep]
