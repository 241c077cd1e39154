"""Thematic keywords of stories, from their summaries alone (Theorem 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.settings import Settings
from ustory.themes.decay import pane_recency
from ustory.themes.ranking import top_terms
from ustory.themes.scoring import Context
from ustory.window.adding import TermSums, add_up
from ustory.window.summary import StorySummary
from ustory.window.vocabulary import Vocabulary


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
class Corpora:
    """Stories that belong to 𝔻 as context, with the document frequencies of it."""

    stories: Sequence[StorySummary] = ()
    df: Counts | None = None
    """(vocabulary,) how many of them have each term."""


def story_themes(
    stories: Sequence[StorySummary],
    days: dict[int, float],
    vocabulary: Vocabulary,
    settings: Settings,
    context: Corpora | None = None,
) -> tuple[Themes, Counts]:
    """Return the theme of each story, and how many stories have each term.

    𝔻 is these stories and those of `context` (Sec. 5.3). rec-pop is Eq. 7:
    Σ_p exp(−|t_p − t_c| / δ_k) · tf(k, p); `days` maps each pane to its time.
    """
    others = context.stories if context else ()
    panes = {pane for story in (*stories, *others) for pane in story.panes}
    recency = pane_recency(panes, days, settings.time_aware)
    sums = _term_sums(stories, recency, len(vocabulary))
    df = sums.df
    if context is not None and context.df is not None:
        df[: len(context.df)] += context.df
    lengths = [_length(story, recency) for story in stories]
    mean = np.mean([*lengths, *(_length(story, recency) for story in others)])
    known = Known(df, len(stories) + len(others), float(mean), settings.scoring)
    themes = Themes.blank(len(stories), settings.keywords)
    for i, length in enumerate(lengths):
        _fill(themes, i, sums, replace(known, length=length), vocabulary)
    return themes, df


@dataclass(frozen=True, slots=True)
class Known:
    """What Eq. 1 needs to know of 𝔻 and of a target story."""

    df: Counts
    corpora: int
    mean_length: float
    scoring: str
    length: float = 0.0

    def weights(self, tf: Vector, df: Counts) -> Vector:
        """Return w_k of terms with decayed frequencies `tf`."""
        context = Context(
            self.corpora, np.array([self.length]), [len(tf)], self.mean_length
        )
        found: Vector = registry.find("scorings", self.scoring)(tf, df, context)
        return found

    @property
    def most_for_one(self) -> np.float32:
        """The most that a term seen once can weigh."""
        return np.float32(self.weights(np.ones(1), np.ones(1, dtype=np.int32))[0])


def _fill(
    themes: Themes, i: int, sums: TermSums, known: Known, vocabulary: Vocabulary
) -> None:
    """Fill in the top N keywords of story i.

    Most terms of a story are seen once, and hardly ever are they keywords: they
    are looked at only where the N-th of the others does not outweigh them all.
    """
    keywords = themes.terms.shape[1]
    for row in (sums.seen_often(i), sums.group(i)):
        terms = sums.terms[row]
        weights = known.weights(sums.decayed[row], known.df[terms])
        best = top_terms(terms, weights, keywords, vocabulary)
        if len(best) == keywords and np.float32(weights[best[-1]]) > known.most_for_one:
            break
    raw = sums.tf[row][best]
    themes.terms[i, : len(best)] = terms[best]
    themes.weights[i, : len(best)] = weights[best]
    themes.share[i, : len(best)] = raw / max(raw.sum(), 1)


def _term_sums(
    stories: Sequence[StorySummary], recency: dict[int, float], vocabulary: int
) -> TermSums:
    """Return the term frequencies of each story, plain and decayed (Eq. 7)."""
    rows = [(recency[p], s) for story in stories for p, s in story.panes.items()]
    return add_up(
        [summary.terms for _, summary in rows],
        [summary.tf for _, summary in rows],
        [len(story.panes) for story in stories],
        vocabulary,
        np.array([factor for factor, _ in rows]),
    )


def _length(story: StorySummary, recency: dict[int, float]) -> float:
    return sum(recency[p] * summary.length for p, summary in story.panes.items())
