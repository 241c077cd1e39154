"""Thematic keywords of stories, from their summaries alone (Theorem 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.settings import Settings
from ustory.themes.decay import decay
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
    recency = _recency([*stories, *others], days, settings)
    sums = _term_sums(stories, recency, len(vocabulary))
    df = np.bincount(sums.terms, minlength=len(vocabulary)).astype(np.int32)
    if context is not None and context.df is not None:
        df[: len(context.df)] += context.df
    lengths = np.array([_length(story, recency) for story in stories])
    mean = np.mean([*lengths, *(_length(story, recency) for story in others)])
    known = Known(df, len(stories) + len(others), lengths, float(mean))
    return _heaviest(sums, known, vocabulary, settings), df


@dataclass(frozen=True, slots=True)
class Known:
    """What Eq. 1 needs to know of 𝔻 and of the target stories."""

    df: Counts
    corpora: int
    lengths: Vector
    mean_length: float

    def weights(self, sums: TermSums, settings: Settings) -> Vector:
        """Return w_k of every term of every story."""
        sizes = np.diff(sums.start)
        context = Context(self.corpora, self.lengths, sizes, self.mean_length)
        score = registry.find("scorings", settings.scoring)
        found: Vector = score(sums.decayed, self.df[sums.terms], context)
        return found

    def most_for_one(self, settings: Settings) -> Vector:
        """Return, per story, the most that a term seen once can weigh."""
        ones = np.ones(len(self.lengths), dtype=np.int32)
        context = Context(self.corpora, self.lengths, ones, self.mean_length)
        score = registry.find("scorings", settings.scoring)
        found: Vector = score(ones.astype(np.float64), ones, context)
        return found


def _heaviest(
    sums: TermSums, known: Known, vocabulary: Vocabulary, settings: Settings
) -> Themes:
    """Return the top N keywords of each story.

    Most terms of a story are seen once, and hardly ever are they keywords: they
    are looked at only where the N-th of the others does not outweigh them all.
    """
    often = sums.at_least(2)
    weights = known.weights(often, settings)
    most = known.most_for_one(settings).astype(np.float32)
    themes = Themes.blank(len(known.lengths), settings.keywords)
    everything: Vector | None = None
    for i in range(len(themes)):
        part, row, found = often, often.group(i), weights
        best = top_terms(part.terms[row], found[row], settings.keywords, vocabulary)
        if len(best) < settings.keywords or np.float32(found[row][best[-1]]) <= most[i]:
            if everything is None:
                everything = known.weights(sums, settings)
            part, row, found = sums, sums.group(i), everything
            best = top_terms(part.terms[row], found[row], settings.keywords, vocabulary)
        raw = part.tf[row][best]
        themes.terms[i, : len(best)] = part.terms[row][best]
        themes.weights[i, : len(best)] = found[row][best]
        themes.share[i, : len(best)] = raw / max(raw.sum(), 1)
    return themes


def _recency(
    stories: Sequence[StorySummary], days: dict[int, float], settings: Settings
) -> dict[int, float]:
    """Return exp(−|t_p − t_c| / δ_k) of each pane; δ_k is the span of 𝔻 plus 1."""
    panes = sorted({pane for story in stories for pane in story.panes})
    times = np.array([days[pane] for pane in panes])
    factor = decay(times.max() - times, float(np.ptp(times)) + 1, settings.time_aware)
    return dict(zip(panes, factor.tolist(), strict=True))


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
