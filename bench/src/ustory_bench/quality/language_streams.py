"""The default mode on streams of many languages that are made from labelled pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np

from ustory.core.arrays import Mask, Matrix, Vector
from ustory.core.article import PreparedArticle
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory.links.prior import probability
from ustory.links.slide import log_odds, parts_of, unit_of
from ustory.scores.agreement import bcubed
from ustory_bench.quality.ranking import Curve, precision_recall
from ustory_bench.runner.follow import prepared_slides

LIKELY = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
"""Probabilities of a link at which the curve is told."""
COSINES = tuple(round(0.4 + 0.05 * step, 2) for step in range(11))
"""Thresholds of the rival's pairs."""
PASSES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
"""Thresholds of the rival's stories, of which the best one is told."""
WANTED = 0.8
"""The precision at which recall is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a run found in a stream."""

    stories: Mapping[str, str | None]
    """The last story of each article."""
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """The last log-odds of each pair that had a link; ids in order."""


def run_links(
    articles: Sequence[PreparedArticle], settings: Settings, encoder: Encoder
) -> Found:
    """Run the default mode over a stream."""
    engine = Engine(settings, encoder)
    state = engine.begin()
    stories: dict[str, str | None] = {}
    pairs: dict[tuple[str, str], float] = {}
    for slide in prepared_slides(articles, settings):
        state, _ = engine.advance(state, slide)
        stories.update({name: state.link.story.get(name) for name in state.records})
        pairs.update(_likely(state, settings))
    return Found(stories=stories, pairs=pairs)


def _likely(
    state: State, settings: Settings
) -> Iterator[tuple[tuple[str, str], float]]:
    link = state.link
    at = {article.serial: article.id for article in link.articles.values()}
    odds = log_odds(link, unit_of(settings), parts_of(settings))
    ends = zip(link.links.older.tolist(), link.links.newer.tolist(), strict=True)
    for (older, newer), each in zip(ends, odds.tolist(), strict=True):
        yield ordered(at[older], at[newer]), each


def ordered(one: str, other: str) -> tuple[str, str]:
    """Return two ids in order."""
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True, slots=True)
class Truth:
    """The labels and languages of a stream."""

    story: Mapping[str, str]
    language: Mapping[str, str]

    @classmethod
    def of(cls, articles: Sequence[PreparedArticle]) -> Truth:
        """Return the truth of labelled articles."""
        story = {a.article.id: a.article.label or a.article.id for a in articles}
        return cls(story, {a.article.id: a.article.lang or "" for a in articles})

    def across(self, pair: tuple[str, str]) -> bool:
        """Whether a pair is of two languages."""
        return self.language[pair[0]] != self.language[pair[1]]


def together(stories: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """Yield each pair of articles that are in one story; ids in order."""
    members: dict[str, list[str]] = defaultdict(list)
    for name, story in stories.items():
        if story is not None:
            members[story].append(name)
    for held in members.values():
        inside = sorted(held)
        for place, one in enumerate(inside):
            for other in inside[place + 1 :]:
                yield one, other


def stories_told(truth: Truth, stories: Mapping[str, str | None]) -> dict[str, Any]:
    """Return how well stories agree with the true ones, also inside each language."""
    names = list(truth.story)
    by: dict[str, list[str]] = defaultdict(list)
    for name in names:
        by[truth.language[name]].append(name)
    return {
        "whole": _agreement(truth, stories, names),
        "inside": {
            language: _agreement(truth, stories, by[language])
            for language in sorted(by)
        },
        "across": _pairs_told(truth, stories, across=True),
        "within": _pairs_told(truth, stories, across=False),
    }


def _agreement(
    truth: Truth, stories: Mapping[str, str | None], names: Sequence[str]
) -> dict[str, Any]:
    """Return B³ of some articles; one without a story is a story of its own."""
    # a pair cannot be the name of a story
    found = [stories.get(name) or (name,) for name in names]
    score = bcubed([truth.story[name] for name in names], found)
    return {"articles": len(names), **_rounded(score._asdict())}


def _pairs_told(
    truth: Truth, stories: Mapping[str, str | None], *, across: bool
) -> dict[str, Any]:
    true = {p for p in together(truth.story) if truth.across(p) == across}
    found = {p for p in together(stories) if truth.across(p) == across}
    right = len(true & found)
    return {
        "true": len(true),
        "found": len(found),
        **_rounded(
            {
                "precision": right / len(found) if found else None,
                "recall": right / len(true) if true else None,
            }
        ),
    }


def links_told(truth: Truth, pairs: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    """Return precision and recall of links across languages, by their probability."""
    kept = {pair: odds for pair, odds in pairs.items() if truth.across(pair)}
    names = list(kept)
    right = np.array([truth.story[a] == truth.story[b] for a, b in names], dtype=bool)
    likely = probability(np.array(list(kept.values()), dtype=np.float64))
    return curve_told(likely, right, _across_in(truth), LIKELY)


def cosines_told(
    truth: Truth,
    articles: Sequence[PreparedArticle],
    vectors: Matrix,
    window: timedelta,
) -> dict[str, Any]:
    """Return the same of the plain cosine of all pairs that share a window."""
    names = [each.article.id for each in articles]
    story = np.unique([truth.story[name] for name in names], return_inverse=True)[1]
    tongue = np.unique([truth.language[n] for n in names], return_inverse=True)[1]
    day = np.array([a.article.published_at.timestamp() for a in articles])
    near, same = [], []
    for place in range(1, len(names)):
        others = tongue[:place] != tongue[place]
        others &= day[place] - day[:place] < window.total_seconds()
        near.append(vectors[:place][others] @ vectors[place])
        same.append(story[:place][others] == story[place])
    scores = np.concatenate([np.zeros(0), *near]).astype(np.float64)
    right = np.concatenate([np.zeros(0, bool), *same])
    return curve_told(scores, right, _across_in(truth), COSINES)


def _across_in(truth: Truth) -> int:
    return sum(truth.across(pair) for pair in together(truth.story))


def curve_told(
    scores: Vector, right: Mask, of: int, thresholds: Sequence[float]
) -> dict[str, Any]:
    """Return precision and recall at thresholds, and recall where it is precise."""
    rows = []
    for threshold in thresholds:
        kept = scores >= threshold
        found, good = int(kept.sum()), int(right[kept].sum())
        rows.append(
            {
                "threshold": threshold,
                "found": found,
                "precision": round(good / found, 4) if found else None,
                "recall": round(good / of, 4) if of else None,
            }
        )
    curve: Curve | None = precision_recall(scores, right, of) if len(scores) else None
    at = curve.recall_at(WANTED) if curve is not None else 0.0
    return {"rows": rows, "recall_at_wanted": round(at, 4)}


def single_pass(
    articles: Sequence[PreparedArticle],
    vectors: Matrix,
    window: timedelta,
    threshold: float,
) -> dict[str, str | None]:
    """Return stories by cosine alone: an article joins the nearest, or founds one.

    A story is the mean of its vectors, and lives while an article of it is in the
    window. Articles come in order of time.
    """
    stories: list[int] = []
    total = np.zeros(vectors.shape, dtype=np.float32)
    length, last = np.ones(len(vectors)), np.full(len(vectors), -np.inf)
    count = 0
    for article, row in zip(articles, vectors, strict=True):
        now = article.article.published_at.timestamp()
        live = last[:count] > now - window.total_seconds()
        first = int(live.argmax()) if live.any() else count
        near = total[first:count] @ row / length[first:count]
        near[~live[first:]] = -np.inf
        best = first + int(near.argmax()) if len(near) else count
        if best == count or near[best - first] < threshold:
            best, count = count, count + 1
        total[best] += row
        length[best] = max(float(np.linalg.norm(total[best])), 1e-12)
        last[best] = now
        stories.append(best)
    return {
        article.article.id: str(story)
        for article, story in zip(articles, stories, strict=True)
    }


def _rounded(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {k: None if v is None else round(v, 4) for k, v in values.items()}
