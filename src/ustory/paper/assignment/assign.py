"""Confidence-based story assignment (Sec. 5.3), for a block of articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from ustory.core import registry
from ustory.core.arrays import Indices, Mask, Matrix, Vector
from ustory.core.rules import FAR, Alike, Arrays, Rule, Within
from ustory.core.settings import Settings
from ustory.paper.assignment import similarity as divergence
from ustory.paper.assignment.assign_kernel import (
    ComparisonRules,
    StoryRows,
    ThemeTable,
    VerdictColumns,
    compare_articles,
)
from ustory.paper.assignment.pairs import (
    CandidatePairs,
    Keywords,
    ThemeIndex,
    candidate_pairs,
    find_all,
    pairs_with,
)
from ustory.paper.assignment.similarity import (
    TIE,
    SeenFrom,
    Similarities,
    is_assigned,
    log_denominator,
    thematic_similarities,
    threshold,
)
from ustory.paper.assignment.similarity_scan import sum_excess
from ustory.paper.embedding.story import Embedder
from ustory.paper.themes.stories import Themes
from ustory.window.unassigned import Batch

MANY_STORIES = 512
"""Up to this many stories, an article is compared with each that shares a keyword.

With more, it is compared with the `MAX_COMPARED` stories that share most of their
theme with it; `SAMPLED` of the others represent the rest.
"""

MAX_COMPARED, SAMPLED = 64, 32

_LOG2 = np.log2(np.maximum(np.arange(256), 1))

_COMPILED = {
    divergence.jensen_shannon: 0,
    divergence.jensen_shannon_root: 1,
    divergence.jensen_shannon_root_e: 2,
    divergence.kullback_leibler: 3,
    divergence.earth_mover: 4,
}


@dataclass(frozen=True, slots=True)
class BatchVerdicts:
    """Per article the best story and the next, and the figures of the best."""

    best: Indices
    runner_up: Indices
    similarity: Vector
    cosine: Vector
    divergence: Vector
    behind: Vector
    """Similarity of the runner-up."""
    excess: Vector
    """Σ e^(T·sim) − |C|."""


def is_compiled(settings: Settings) -> bool:
    """Whether the compiled loop supports the divergence of the settings."""
    return registry.find("divergences", settings.divergence) in _COMPILED


def closeness_alone(themes: Themes, index: ThemeIndex, settings: Settings) -> Vector:
    """Return the closeness of articles with one keyword, by place in the themes."""
    compare = registry.find("divergences", settings.divergence)
    share, cells = themes.share.ravel(), index.cells
    out = np.zeros(len(share))
    each = np.arange(len(cells))
    out[cells] = compare(np.ones(len(cells)), share[cells], each, len(cells))
    return out


def compare_batch(
    batch: Batch,
    keywords: Keywords,
    stories: tuple[Themes, ThemeIndex, SeenFrom, Vector],
    settings: Settings,
) -> BatchVerdicts:
    """Compare the articles of a batch with all stories they share a keyword with."""
    themes, index, seen_from, alone = stories
    best, second = np.empty((2, len(batch)), dtype=np.int64)
    out = VerdictColumns(best, second, np.empty((len(batch), 5)))
    share = themes.share.ravel()
    compare_articles(
        batch.buffers,
        keywords,
        ThemeTable(
            use_start=index.start,
            cells=index.cells,
            weight=themes.weights.ravel(),
            share=share,
            entropy=share * np.log2(np.where(share > 0, share, 1.0)),
            alone=alone,
            log2=_LOG2,
            stories=themes.terms.shape[0],
            width=themes.terms.shape[1],
        ),
        StoryRows(seen_from.rows, seen_from.first_rows(batch)),
        ComparisonRules(
            temperature=settings.temperature,
            divergence=_COMPILED[registry.find("divergences", settings.divergence)],
            most=MAX_COMPARED if len(themes) > MANY_STORIES else len(themes),
            sample=SAMPLED,
            tie=TIE,
        ),
        out,
    )
    cosine, closeness, total, behind, excess = out.figures.T
    return BatchVerdicts(best, second, total, cosine, closeness, behind, excess)


@dataclass(frozen=True, slots=True)
class View:
    """The live stories at the start of a slide; articles are scored against them."""

    stories: tuple[str, ...]
    """Oldest first."""
    themes: Themes
    index: ThemeIndex
    seen_from: SeenFrom
    """E_C|a of all stories, by the pane of a."""
    alone: Vector | None = None
    """Closeness of a story that shares one keyword only, by place in the themes.

    None if the settings name a part that the compiled loop does not support.
    """

    @classmethod
    def of(
        cls,
        stories: tuple[str, ...],
        themes: Themes,
        index: ThemeIndex,
        seen_from: SeenFrom,
        embedder: Embedder,
    ) -> View:
        """Return the view, ready for the compiled loop if it supports the settings."""
        alone = None
        if embedder.is_plain_sum and is_compiled(embedder.settings):
            alone = closeness_alone(themes, index, embedder.settings)
        return cls(stories, themes, index, seen_from, alone)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """For each article its best story, how sure that is, and the runner-up.

    Stories are positions in the view; -1 is none: no story shares a keyword.
    """

    best: Indices
    runner_up: Indices
    similarity: Vector
    cosine: Vector
    divergence: Vector
    margin: Vector
    log_confidence: Vector
    log_odds: Vector
    """ln(conf / γ)."""
    excess: Vector
    """Σ e^(T·sim) − |C|, over all stories of the view."""
    assigned: Mask
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "best", "runner_up"),
        Arrays(
            "float64",
            *("similarity", "cosine", "divergence", "margin"),
            *("log_confidence", "log_odds", "excess"),
        ),
        Arrays("bool", "assigned"),
        Alike(
            *("best", "runner_up", "similarity", "cosine", "divergence", "margin"),
            *("log_confidence", "log_odds", "excess", "assigned"),
        ),
        Within(-1, FAR, "best", "runner_up"),
        Within(0, 1.01, "similarity", "cosine", "divergence"),
        Within(-2, 2, "margin"),
        Within(-1e9, 0, "log_confidence"),
        Within(-1e9, 1e9, "log_odds"),
        Within(0, 1e300, "excess"),
    )

    @classmethod
    def join(cls, parts: Sequence[Verdicts]) -> Verdicts:
        """Return the verdicts of several blocks as one."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))

    def rows(self, keep: Mask) -> Verdicts:
        """Return the verdicts of the articles marked in `keep`."""
        return Verdicts(*(getattr(self, field.name)[keep] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Judged:
    """A block of articles, its verdicts, and which article joins which story."""

    batch: Batch
    verdicts: Verdicts
    joining: CandidatePairs
    """Each assigned article with its story, in order of article."""
    vectors: Matrix
    """(joining, dim) E_a|C of the assigned articles."""


def judge(batch: Batch, view: View, embedder: Embedder) -> Judged:
    """Return the verdicts on a block of unassigned articles (Alg. 1, lines 6–8)."""
    if view.alone is None:
        return _judge_pairs(batch, view, embedder)
    keywords = find_all(batch, view.index)
    settings = embedder.settings
    parts = (view.themes, view.index, view.seen_from, view.alone)
    found = compare_batch(batch, keywords, parts, settings)
    log_confidence, log_odds = _odds(
        found.similarity, found.excess, len(view.stories), settings
    )
    verdicts = Verdicts(
        best=found.best,
        runner_up=found.runner_up,
        similarity=found.similarity,
        cosine=found.cosine,
        divergence=found.divergence,
        margin=found.similarity - found.behind,
        log_confidence=log_confidence,
        log_odds=log_odds,
        excess=found.excess,
        assigned=is_assigned(found.similarity, log_odds),
    )
    own = np.where(verdicts.assigned, verdicts.best, -1)
    joining = pairs_with(keywords, view.themes, own)
    return Judged(batch, verdicts, joining, embedder.represent(batch, joining.hits))


def _judge_pairs(batch: Batch, view: View, embedder: Embedder) -> Judged:
    """Return the same through a list of all pairs, for any settings."""
    pairs = candidate_pairs(batch, view.themes, view.index)
    similarities = thematic_similarities(batch, pairs, view.seen_from, embedder)
    verdicts = decide(
        len(batch), pairs, similarities, len(view.stories), embedder.settings
    )
    chosen = verdicts.assigned[pairs.article]
    joining = pairs.only(chosen & (pairs.story == verdicts.best[pairs.article]))
    vectors = embedder.represent(batch, joining.hits)
    return Judged(batch, verdicts, joining, vectors)


def decide(
    articles: int,
    pairs: CandidatePairs,
    similarities: Similarities,
    stories: int,
    settings: Settings,
) -> Verdicts:
    """Return the verdict on each article, given the similarities of its pairs."""
    best, second = _best_two(pairs, similarities.total, articles)
    similarity = _at(similarities.total, best)
    odds = np.exp(settings.temperature * similarities.total)
    excess = np.zeros(articles)
    sum_excess(pairs.article, odds, excess)
    log_confidence, log_odds = _odds(similarity, excess, stories, settings)
    return Verdicts(
        best=_story(pairs, best),
        runner_up=_story(pairs, second),
        similarity=similarity,
        cosine=_at(similarities.cosine, best),
        divergence=_at(similarities.divergence, best),
        margin=similarity - _at(similarities.total, second),
        log_confidence=log_confidence,
        log_odds=log_odds,
        excess=excess,
        assigned=is_assigned(similarity, log_odds),
    )


def _odds(
    similarity: Vector, excess: Vector, stories: int, settings: Settings
) -> tuple[Vector, Vector]:
    """Return ln conf and ln(conf / γ) of each article and its best story."""
    temperature = settings.temperature
    confidence = temperature * similarity - log_denominator(excess, stories)
    return confidence, confidence - np.log(threshold(stories, temperature))


def _at(values: Vector, pair: Indices) -> Vector:
    return np.where(pair >= 0, np.append(values, 0.0)[pair], 0.0)


def _story(pairs: CandidatePairs, pair: Indices) -> Indices:
    return np.where(pair >= 0, np.append(pairs.story, -1)[pair], -1)


def _best_two(
    pairs: CandidatePairs, sim: Vector, articles: int
) -> tuple[Indices, Indices]:
    """Return each article's most similar pair and the next; the older wins a tie."""
    best = _oldest_best(pairs, sim, articles)
    rest = sim.copy()
    rest[best[best >= 0]] = -1.0
    second = _oldest_best(pairs, rest, articles)
    return best, np.where(_at(rest, second) < 0, -1, second)


def _oldest_best(pairs: CandidatePairs, sim: Vector, articles: int) -> Indices:
    """Return the first pair of each article within `TIE` of its maximum.

    Pairs of an article are sorted by story, and stories by age.
    """
    found = np.full(articles, -1, dtype=np.int64)
    if not len(sim):
        return found
    first = np.flatnonzero(np.diff(pairs.article, prepend=-1))
    highest = np.maximum.reduceat(sim, first)
    sizes = np.diff(first, append=len(sim))
    near = np.flatnonzero(sim >= np.repeat(highest, sizes) - TIE)
    owner = pairs.article[near]
    leading = np.flatnonzero(np.diff(owner, prepend=-1))
    found[owner[leading]] = near[leading]
    return found
