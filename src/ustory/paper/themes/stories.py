"""Thematic keywords of stories and of seeds, from sums over their panes (Theorem 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Counts, Indices, Mask, Matrix, Vector
from ustory.core.rules import FAR, Arrays, Holds, Rule, Within
from ustory.core.settings import Settings
from ustory.paper.themes.scoring import Context, pane_recency, top_terms
from ustory.paper.themes.theme_scan import (
    GroupMemory,
    GroupSums,
    TermRows,
    largest,
    sum_terms,
)
from ustory.window.raw_buffers import SCRATCH
from ustory.window.summary import StorySummary
from ustory.window.tally import largest_table
from ustory.window.unassigned import UnassignedArticle
from ustory.window.vocabulary import Vocabulary


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


MIN_FREQUENT_TF = 4
"""Terms that appear at least this often are compared first."""

_NO_LENGTHS = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Themes:
    """K_C of several stories (Def 4.1); row i is the theme of story i.

    Shorter themes are padded with term -1, weight 0 and share 0.
    """

    terms: Indices
    """(stories, N) keyword numbers, heaviest first."""
    weights: Vector
    """(stories, N) importance w_k."""
    share: Vector
    """(stories, N) P(k | C, K_C), from the raw counts in the window (Def 5.1)."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int32", "terms", axes=2),
        Arrays("float64", "weights", "share", axes=2),
        Within(-1, FAR, "terms"),
        Within(0, 1e300, "weights"),
        Within(0, 1, "share"),
        Holds(
            "terms, weights and share must be of one shape",
            lambda *tables: len({table.shape for table in tables}) == 1,
            "terms",
            "weights",
            "share",
        ),
    )

    def __len__(self) -> int:
        return len(self.terms)

    @classmethod
    def blank(cls, stories: int, keywords: int) -> Themes:
        """Return themes without a keyword, to be filled in."""
        return cls(
            np.full((stories, keywords), -1, dtype=np.int32),
            np.zeros((stories, keywords)),
            np.zeros((stories, keywords)),
        )


@dataclass(frozen=True, slots=True)
class StorySums:
    """The summed terms of stories, from which themes are chosen.

    They are known as soon as old panes have left the window: until stories grow, new
    articles add terms to the vocabulary, but not to a story.
    """

    corpora: Corpora
    often: Sums
    """Sums of terms that a story has at least `MIN_FREQUENT_TF` times."""
    df: Counts
    """(vocabulary,) how many stories have each term."""

    def themes(
        self, vocabulary: Vocabulary, settings: Settings
    ) -> tuple[Themes, Counts]:
        """Return the theme of each story, and how many stories have each term."""
        df = self.df
        if len(df) < len(vocabulary):
            df = np.zeros(len(vocabulary), dtype=np.int32)
            df[: len(self.df)] = self.df
        return _chosen(self.corpora, self.often, df, vocabulary, settings), df


def story_sums(
    stories: Sequence[StorySummary],
    days: Mapping[int, float],
    vocabulary: int,
    settings: Settings,
    *,
    workers: Executor | None = None,
) -> StorySums:
    """Return the sums of some stories, over a vocabulary of that size.

    Workers share the sums, and change no number.
    """
    panes = {pane for story in stories for pane in story.panes}
    recency = pane_recency(panes, days, settings.time_aware)
    corpora = story_corpora(stories, recency)
    return StorySums(corpora, *corpora.sums(MIN_FREQUENT_TF, vocabulary, workers))


def story_themes(
    stories: Sequence[StorySummary],
    days: Mapping[int, float],
    vocabulary: Vocabulary,
    settings: Settings,
) -> tuple[Themes, Counts]:
    """Return the theme of each story, and how many stories have each term.

    𝔻 is these stories (Sec. 5.3).
    """
    found = story_sums(stories, days, len(vocabulary), settings)
    return found.themes(vocabulary, settings)


@dataclass(frozen=True, slots=True)
class Others:
    """Corpora that belong to 𝔻 besides those that themes are found for."""

    lengths: Vector
    """(corpora,) decayed length of each."""
    df: Counts
    """(vocabulary,) how many of them have each term."""


def find_themes(
    targets: Corpora,
    vocabulary: Vocabulary,
    settings: Settings,
    others: Others,
    workers: Executor | None = None,
) -> Themes:
    """Return the theme of each target corpus; 𝔻 is the targets and the others."""
    often, df = targets.sums(MIN_FREQUENT_TF, len(vocabulary), workers)
    df[: len(others.df)] += others.df
    return _chosen(targets, often, df, vocabulary, settings, others.lengths)


def _chosen(
    targets: Corpora,
    often: Sums,
    df: Counts,
    vocabulary: Vocabulary,
    settings: Settings,
    others: Vector = _NO_LENGTHS,
) -> Themes:
    """Return the theme of each target among others of certain lengths.

    rec-pop is Eq. 7: Σ_p exp(−|t_p − t_c| / δ_k) · tf(k, p). Most terms of a corpus
    appear a few times and are hardly ever keywords: they are compared only if the
    N-th of the others does not outweigh them all.
    """
    lengths = np.concatenate([targets.lengths, others])
    search = _ThemeSearch(
        vocabulary, df, len(lengths), float(lengths.mean()), settings.scoring
    )
    themes = Themes.blank(len(targets), settings.keywords)
    every = np.arange(len(targets))
    rest = every[~search.fill(themes, targets, every, often, MIN_FREQUENT_TF)]
    if len(rest):
        left = targets.only(rest)
        search.fill(themes, left, rest, left.sums(1, len(vocabulary))[0], 1)
    return themes


@dataclass(frozen=True, slots=True)
class _ThemeSearch:
    """The search for the top N among the terms of corpora."""

    vocabulary: Vocabulary
    df: Counts
    corpora: int
    """|𝔻|."""
    mean_length: float
    scoring: str

    def fill(
        self, themes: Themes, targets: Corpora, rows: Indices, sums: Sums, least: int
    ) -> Mask:
        """Fill in the themes of some targets from the sums of their terms.

        Returns which targets are final: no term with fewer than `least` appearances
        can outweigh what they have.
        """
        keywords = themes.terms.shape[1]
        sizes = np.diff(sums.start)
        weights = self._weights(sums.decayed, self.df[sums.terms], targets, sizes)
        rank = weights.astype(np.float32)
        places = _largest(rank, sums.start, keywords + 1)
        best = np.append(rank, np.float32(-np.inf))[places]
        ties = (best[:, 1:] == best[:, :-1]) & (places[:, 1:] >= 0)
        for i in np.flatnonzero(ties.any(axis=1)).tolist():
            part = slice(int(sums.start[i]), int(sums.start[i + 1]))
            top = top_terms(sums.terms[part], weights[part], keywords, self.vocabulary)
            places[i, : len(top)] = top + part.start
        _write(themes, rows, sums, weights, places[:, :keywords])
        ones = np.ones(len(targets), dtype=np.int32)
        seldom = targets.freshest * (least - 1)
        most = self._weights(seldom, ones, targets, ones)
        return np.asarray(best[:, keywords - 1] > most.astype(np.float32))

    def _weights(
        self, tf: Vector, df: Counts, targets: Corpora, sizes: Counts
    ) -> Vector:
        """Return w_k of entries; the next `sizes[i]` entries belong to target i."""
        context = Context(self.corpora, targets.lengths, sizes, self.mean_length)
        found: Vector = registry.find("scorings", self.scoring)(tf, df, context)
        return found


def _largest(rank: Matrix, start: Indices, keep: int) -> Indices:
    """Return (segments, keep) positions of the largest, -1 if a segment has fewer."""
    places = np.full((len(start) - 1, keep), -1, dtype=np.int64)
    largest(rank, start, keep, places)
    return places


def _write(
    themes: Themes, rows: Indices, sums: Sums, weights: Vector, places: Indices
) -> None:
    known = places >= 0
    raw = np.where(known, np.append(sums.tf, 0)[places], 0)
    themes.terms[rows] = np.where(known, np.append(sums.terms, -1)[places], -1)
    themes.weights[rows] = np.where(known, np.append(weights, 0.0)[places], 0.0)
    themes.share[rows] = raw / np.maximum(raw.sum(axis=1, keepdims=True), 1)
