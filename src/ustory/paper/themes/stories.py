"""Thematic keywords of stories, from their summaries alone (Theorem 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Counts, Indices, Mask, Matrix, Vector
from ustory.core.rules import FAR, Arrays, Holds, Rule, Within
from ustory.core.settings import Settings
from ustory.paper.themes.corpora import Corpora, Sums, story_corpora
from ustory.paper.themes.scoring import Context, pane_recency, top_terms
from ustory.paper.themes.theme_scan import largest
from ustory.window.summary import StorySummary
from ustory.window.vocabulary import Vocabulary

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
