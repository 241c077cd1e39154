"""𝔻, the corpora that keywords are chosen among: stories by pane, seeds by article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.paper.themes.theme_scan import GroupMemory, GroupSums, TermRows, sum_terms
from ustory.window.raw_buffers import SCRATCH
from ustory.window.summary import StorySummary
from ustory.window.tally import largest_table
from ustory.window.unassigned import UnassignedArticle


class TermRow(Protocol):
    """Distinct terms and how often each appears: a pane, or an article."""

    @property
    def buffers(self) -> tuple[int, ...]:
        """How many terms there are, the address of their numbers, and of their tf."""
        ...


@dataclass(frozen=True, slots=True)
class Sums:
    """Term frequencies of several corpora, one after the other."""

    start: Indices
    """(corpora + 1,) where each corpus begins."""
    terms: Indices
    tf: Counts
    """Plain sums."""
    decayed: Vector
    """Sums in which each row counts by its recency (Eq. 7)."""


@dataclass(frozen=True, slots=True)
class Corpora:
    """Corpora as rows of term counts, each with its recency."""

    rows: Sequence[TermRow]
    sizes: Counts
    """How many of the rows, in order, belong to each corpus."""
    recency: Vector
    """(rows,)"""
    lengths: Vector
    """(corpora,) decayed number of term appearances."""

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def freshest(self) -> Vector:
        """(corpora,) recency of its newest row: the most that one appearance weighs."""
        return np.maximum.reduceat(self.recency, np.cumsum(self.sizes) - self.sizes)

    def only(self, corpora: Indices) -> Corpora:
        """Return some of the corpora."""
        end = np.cumsum(self.sizes)
        rows = [
            row
            for corpus in corpora.tolist()
            for row in range(int(end[corpus] - self.sizes[corpus]), int(end[corpus]))
        ]
        return Corpora(
            [self.rows[row] for row in rows],
            self.sizes[corpora],
            self.recency[rows],
            self.lengths[corpora],
        )

    def sums(
        self, least: int, vocabulary: int, workers: Executor | None = None
    ) -> tuple[Sums, Counts]:
        """Return the sums of terms that a corpus has at least `least` times.

        And the number of corpora that have each term. Workers, if given, take half
        of the corpora each.
        """
        if workers is None or len(self) < 2:
            return self._sums(least, vocabulary)
        half = len(self) // 2
        parts = [self.only(np.arange(half)), self.only(np.arange(half, len(self)))]
        done = list(workers.map(lambda part: part._sums(least, vocabulary), parts))
        (first, df), (second, other) = done
        df += other
        start = np.concatenate([first.start, second.start[1:] + first.start[-1]])
        columns = [
            np.concatenate([getattr(first, name), getattr(second, name)])
            for name in ("terms", "tf", "decayed")
        ]
        return Sums(start, *columns), df

    def _sums(self, least: int, vocabulary: int) -> tuple[Sums, Counts]:
        buffers = np.array([row.buffers[:3] for row in self.rows], dtype=np.int64)
        length, terms_at, tf_at = buffers.T.copy()
        every, end = int(length.sum()), np.cumsum(self.sizes, dtype=np.int64)
        start = np.zeros(len(self) + 1, dtype=np.int64)
        df = np.zeros(vocabulary, dtype=np.int32)
        slots = SCRATCH.ints("slots", largest_table(length, end))
        memory = GroupMemory(slots, df, *_columns("group", every))
        out = GroupSums(start, *_columns("sums", every))
        rows = TermRows(terms_at, tf_at, length)
        kept = int(sum_terms(rows, self.recency, end, least, memory, out))
        plain, weighted = out.plain[:kept].copy(), out.weighted[:kept].copy()
        return Sums(start, out.terms[:kept].copy(), plain, weighted), df


def _columns(name: str, size: int) -> tuple[Counts, Counts, Vector]:
    """Return scratch memory for terms, frequencies and decayed frequencies."""
    return (
        SCRATCH.ints(f"{name}: terms", size),
        SCRATCH.ints(f"{name}: tf", size),
        SCRATCH.floats(f"{name}: decayed", size),
    )


def story_corpora(
    stories: Sequence[StorySummary], recency: Mapping[int, float]
) -> Corpora:
    """Return stories as corpora, a row for each of their panes."""
    panes = [(recency[p], row) for story in stories for p, row in story.panes.items()]
    factor = np.array([factor for factor, _ in panes])
    sizes = np.array([len(story.panes) for story in stories], dtype=np.int64)
    lengths = factor * np.array([row.length for _, row in panes])
    total = _sums_of(lengths, sizes)
    return Corpora([row for _, row in panes], sizes, factor, total)


def group_corpora(
    groups: Sequence[Sequence[UnassignedArticle]],
    recency: Mapping[int, float],
) -> Corpora:
    """Return groups of articles as corpora, a row for each article."""
    articles = [article for group in groups for article in group]
    factor = np.array([recency[article.pane] for article in articles])
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    lengths = factor * np.array([article.length for article in articles])
    return Corpora(articles, sizes, factor, _sums_of(lengths, sizes))


def _sums_of(values: Vector, sizes: Counts) -> Vector:
    """Return the sum of each run of values; no corpus is without rows."""
    starts = np.cumsum(sizes) - sizes
    return np.add.reduceat(values, starts) if len(sizes) else np.zeros(0)
