"""How alike the words are: within a story, between stories, and of mere copies."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.article import TermCounts
from ustory.core.spans import EPOCH, microseconds

NEAR_COPY = 0.9
"""Cosine of TF-IDF from which two articles count as copies."""

KEPT = 50_000
"""Articles whose words are held in memory: the first of a stream."""

_JUDGED = 2_000
_BLOCK = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Cosines of TF-IDF among articles less than a window apart, averaged."""

    judged: int
    """Articles that were compared with all around them: every k-th of the stream."""
    nearest: float | None
    """Similarity to the nearest article."""
    near_copies: float | None
    """Share of the articles of which there is a copy, or nearly one."""
    within: float | None
    """Mean similarity to the other articles of the own story."""
    beside: float | None
    """Mean similarity to the articles of the nearest other story."""
    confused: float | None
    """Share of the articles that are at least as near to another story."""


class Words:
    """The words of articles, gathered one article at a time. Mutable."""

    def __init__(self) -> None:
        self._column: dict[str, int] = {}
        self._columns = array("i")
        self._counts = array("i")
        self._starts = array("q", [0])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, counts: TermCounts) -> None:
        """Take in an article, unless there are `KEPT` already."""
        if len(self) >= KEPT:
            return
        for cell in np.flatnonzero(counts.second < 0).tolist():
            word = counts.words[int(counts.first[cell])]
            self._columns.append(self._column.setdefault(word, len(self._column)))
            self._counts.append(int(counts.tf[cell]))
        self._starts.append(len(self._columns))

    def rows(self) -> sparse.csr_array:
        """Return one row of unit length per article: (1 + ln tf) · ln(1 + n / df)."""
        columns = np.array(self._columns, dtype=np.int32)
        df = np.bincount(columns, minlength=max(len(self._column), 1))
        values = 1 + np.log(np.array(self._counts, dtype=np.float64))
        values *= np.log1p(len(self) / np.maximum(df, 1))[columns]
        starts = np.array(self._starts, dtype=np.int64)
        article = np.repeat(np.arange(len(self)), np.diff(starts))
        norms = np.sqrt(np.bincount(article, values**2, minlength=len(self)))
        return sparse.csr_array(
            (values / norms[article], columns, starts), shape=(len(self), len(df))
        )


def wording_of(
    words: Words,
    labels: Sequence[str | None],
    times: Sequence[datetime],
    window: timedelta,
) -> Wording:
    """Return how alike the articles are of which these are labels and times."""
    moments = np.array(
        [microseconds(each - EPOCH) for each in times[: len(words)]], dtype=np.int64
    )
    order = np.argsort(moments, kind="stable")
    stories = _numbered(labels[: len(words)])[order]
    rows, moments = words.rows()[order], moments[order]
    chosen = np.arange(0, len(words), max(-(-len(words) // _JUDGED), 1))
    found = [
        pair
        for start in range(0, len(chosen), _BLOCK)
        for pair in _judge(
            chosen[start : start + _BLOCK], rows, stories, moments, microseconds(window)
        )
    ]
    nearest = [pair[0] for pair in found]
    told = [pair[1] for pair in found if pair[1] is not None]
    return Wording(
        judged=len(found),
        nearest=_mean(nearest),
        near_copies=_mean([each >= NEAR_COPY for each in nearest]),
        within=_mean([own for own, _ in told]),
        beside=_mean([other for _, other in told]),
        confused=_mean([other >= own for own, other in told]),
    )


def _numbered(labels: Sequence[str | None]) -> Indices:
    """Return the story of each article as a number, −1 where there is none."""
    number: dict[str | None, int] = {None: -1}
    for each in labels:
        number.setdefault(each, len(number) - 1)
    return np.array([number[each] for each in labels], dtype=np.int64)


def _judge(
    block: Indices,
    rows: sparse.csr_array,
    stories: Indices,
    moments: Indices,
    window: int,
) -> list[tuple[float, tuple[float, float] | None]]:
    """Return, for each article of a block, its nearest, its own and another story."""
    low = int(np.searchsorted(moments, moments[block[0]] - window, side="right"))
    high = int(np.searchsorted(moments, moments[block[-1]] + window, side="left"))
    alike = (rows[block] @ rows[low:high].T).toarray()
    _, around = np.unique(stories[low:high], return_inverse=True)
    found = []
    for place, article in enumerate(block.tolist()):
        near = np.abs(moments[low:high] - moments[article]) < window
        near[article - low] = False
        nearest = float(alike[place][near].max()) if near.any() else 0.0
        own = int(around[article - low]) if stories[article] >= 0 else -1
        near &= stories[low:high] >= 0
        found.append((nearest, _sides(alike[place], near, around, own)))
    return found


def _sides(
    alike: Vector, near: Mask, around: Indices, own: int
) -> tuple[float, float] | None:
    """Return the mean similarity to the own story and to the nearest other one.

    None when the article has no label, or one of the two is not there.
    """
    if own < 0:
        return None
    counts = np.bincount(around[near], minlength=own + 1)
    sums = np.bincount(around[near], alike[near], minlength=own + 1)
    means = np.divide(sums, counts, out=np.full(len(sums), -1.0), where=counts > 0)
    inside = float(means[own])
    means[own] = -1.0
    outside = float(means.max())
    return (inside, outside) if min(inside, outside) > -1.0 else None


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None
