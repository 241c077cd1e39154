"""Thematic keywords of stories, from their summaries alone (Theorem 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core import registry
from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.settings import Settings
from ustory.themes.decay import decay
from ustory.themes.ranking import top_terms
from ustory.themes.scoring import Context
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
    counts = _decayed(stories, recency, len(vocabulary))
    df = np.bincount(counts.indices, minlength=len(vocabulary))
    if context is not None and context.df is not None:
        df[: len(context.df)] += context.df
    lengths = np.array([_length(story, recency) for story in stories])
    known = [*lengths, *(_length(story, recency) for story in others)]
    about = Context(
        len(known), np.repeat(lengths, np.diff(counts.indptr)), float(np.mean(known))
    )
    score = registry.find("scorings", settings.scoring)
    weights = score(counts.data, df[counts.indices], about)
    themes = Themes.blank(len(stories), settings.keywords)
    for i in range(len(stories)):
        row = slice(counts.indptr[i], counts.indptr[i + 1])
        terms = counts.indices[row]
        best = top_terms(terms, weights[row], settings.keywords, vocabulary)
        themes.terms[i, : len(best)] = terms[best]
        themes.weights[i, : len(best)] = weights[row][best]
    _fill_share(themes, stories, len(vocabulary))
    return themes, df


def _recency(
    stories: Sequence[StorySummary], days: dict[int, float], settings: Settings
) -> dict[int, float]:
    """Return exp(−|t_p − t_c| / δ_k) of each pane; δ_k is the span of 𝔻 plus 1."""
    panes = sorted({pane for story in stories for pane in story.panes})
    times = np.array([days[pane] for pane in panes])
    factor = decay(times.max() - times, float(np.ptp(times)) + 1, settings.time_aware)
    return dict(zip(panes, factor.tolist(), strict=True))


def _decayed(
    stories: Sequence[StorySummary], recency: dict[int, float], vocabulary: int
) -> sparse.csr_array:
    """Return (stories, vocabulary) decayed term frequencies."""
    rows = [(recency[p], s) for story in stories for p, s in story.panes.items()]
    of_story = sparse.csr_array(
        (
            np.array([factor for factor, _ in rows]),
            np.arange(len(rows)),
            np.cumsum([0, *(len(story.panes) for story in stories)]),
        ),
        shape=(len(stories), len(rows)),
    )
    terms = sparse.csr_array(
        (
            np.concatenate([summary.tf for _, summary in rows]).astype(np.float64),
            np.concatenate([summary.terms for _, summary in rows]),
            np.cumsum([0, *(len(summary.terms) for _, summary in rows)]),
        ),
        shape=(len(rows), vocabulary),
    )
    return of_story @ terms


def _length(story: StorySummary, recency: dict[int, float]) -> float:
    return sum(recency[p] * summary.length for p, summary in story.panes.items())


def _fill_share(
    themes: Themes, stories: Sequence[StorySummary], vocabulary: int
) -> None:
    """Fill in P(k | C, K_C) of the keywords, from the raw counts."""
    cells = np.flatnonzero(themes.terms.ravel() >= 0)
    keys = cells // themes.terms.shape[1] * vocabulary + themes.terms.ravel()[cells]
    order = np.argsort(keys)
    panes = [(i, s) for i, story in enumerate(stories) for s in story.panes.values()]
    is_keyword = np.zeros(vocabulary, dtype=bool)
    is_keyword[themes.terms.ravel()[cells]] = True
    raw = np.zeros(themes.terms.size)
    for i, summary in panes:
        here = np.flatnonzero(is_keyword[summary.terms])
        wanted = i * vocabulary + summary.terms[here].astype(np.int64)
        place = np.searchsorted(keys[order], wanted)
        place = np.minimum(place, len(order) - 1)
        ours = keys[order][place] == wanted
        np.add.at(raw, cells[order[place[ours]]], summary.tf[here[ours]])
    raw = raw.reshape(themes.share.shape)
    themes.share[:] = raw / np.maximum(raw.sum(axis=1, keepdims=True), 1)
