"""Decisions of mode `paper`: where each article is, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.engine.draft import PaperDraft
from ustory.engine.state import Noted, Standing, State
from ustory.paper.assignment.assign import Judged, View
from ustory.paper.assignment.pairs import CandidatePairs, own_pairs, theme_index
from ustory.paper.embedding.article import relevance, sentence_weights, theme_relevance
from ustory.paper.seeding.seed import Seeds
from ustory.window.unassigned import Batch
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class SharedTerms:
    """What an article and a story have in common."""

    keywords: Mapping[str, int]
    weights: tuple[float, ...]


def assigned_decisions(
    judged: Judged, view: View, draft: PaperDraft, sentences: int | None
) -> Noted:
    """Return the decisions on the articles of a block that join a story."""
    batch, joining = judged.batch, judged.joining
    evidence = _evidence(batch, joining, draft.state.vocabulary, sentences)
    standing = Standing(draft.end, {}, view.stories, view.themes, judged.verdicts)
    decisions = {
        batch.articles[row].id: _decision(standing, row, evidence[pair], joined=True)
        for pair, row in enumerate(joining.article.tolist())
    }
    return Noted(decisions, judged.vectors)


def seeded_decisions(
    seeds: Seeds, names: Sequence[str], draft: PaperDraft, sentences: int | None
) -> Noted:
    """Return the decisions on articles that make the new stories `names`."""
    rows = np.concatenate(list(seeds.members))
    keep = np.zeros(len(seeds.pairs), dtype=bool)
    keep[rows] = True
    vocabulary = draft.state.vocabulary
    found = _evidence(seeds.batch, seeds.pairs.only(keep), vocabulary, sentences)
    evidence = dict(zip(np.flatnonzero(keep).tolist(), found, strict=True))
    decisions: dict[str, ThemeDecision] = {}
    for name, pairs in zip(names, seeds.members, strict=True):
        for pair in pairs.tolist():
            article = seeds.batch.articles[int(seeds.pairs.article[pair])].id
            behind, similar = draft.best_live(article)
            similarity = float(seeds.similarities.total[pair])
            decisions[article] = ThemeDecision(
                story=name,
                how="seeded",
                decided_at=draft.end,
                best=name,
                similarity=similarity,
                cosine=float(seeds.similarities.cosine[pair]),
                divergence=float(seeds.similarities.divergence[pair]),
                runner_up=behind,
                margin=similarity - similar,
                confidence=math.exp(seeds.log_confidence[pair]),
                log_odds=float(seeds.log_odds[pair]),
                stories=seeds.stories,
                keywords=evidence[pair].keywords,
                weights=evidence[pair].weights,
            )
    return Noted(decisions, seeds.vectors[rows])


def decision_on(
    state: State, article: str, sentences: int | None = None
) -> LinkDecision | ThemeDecision | None:
    """Return why an article is where it is, None if it is not in the window.

    `sentences` is the setting of that name.
    """
    record = state.records.get(article)
    if record is None:
        return None
    if record.decision is not None:
        return record.decision
    standing = state.standing
    if standing is None or article not in standing.articles or state.end is None:
        return ThemeDecision(
            story=None, how="waiting", decided_at=state.end or record.published_at
        )
    row = standing.articles[article]
    best = int(standing.verdicts.best[row])
    batch = Batch([state.unassigned[article]])
    index = theme_index(standing.themes, len(state.vocabulary))
    pairs = own_pairs(batch, standing.themes, np.array([best]), index)
    evidence = _evidence(batch, pairs, state.vocabulary, sentences)
    return _decision(standing, row, evidence[0] if evidence else SharedTerms({}, ()))


def _decision(
    standing: Standing, row: int, evidence: SharedTerms, *, joined: bool = False
) -> ThemeDecision:
    verdicts = standing.verdicts
    best = _name(standing, verdicts.best, row)
    return ThemeDecision(
        story=best if joined else None,
        how="assigned" if joined else "waiting",
        decided_at=standing.decided_at,
        best=best,
        similarity=float(verdicts.similarity[row]),
        cosine=float(verdicts.cosine[row]),
        divergence=float(verdicts.divergence[row]),
        runner_up=_name(standing, verdicts.runner_up, row),
        margin=float(verdicts.margin[row]),
        confidence=math.exp(verdicts.log_confidence[row]),
        log_odds=float(verdicts.log_odds[row]),
        stories=len(standing.stories),
        keywords=evidence.keywords,
        weights=evidence.weights,
    )


def _name(standing: Standing, stories: Indices, row: int) -> str | None:
    number = int(stories[row])
    return standing.stories[number] if number >= 0 else None


def _evidence(
    batch: Batch, pairs: CandidatePairs, vocabulary: Vocabulary, sentences: int | None
) -> list[SharedTerms]:
    """Return the shared keywords and the sentence weights (Eq. 2) of each pair."""
    weights = _weights(batch, pairs, sentences)
    hits = pairs.hit_start.tolist()
    terms = vocabulary.written(pairs.keywords.term[pairs.keyword])
    tf = pairs.tf.tolist()
    return [
        SharedTerms(dict(zip(terms[a:b], tf[a:b], strict=True)), weights[pair])
        for pair, (a, b) in enumerate(pairwise(hits))
    ]


def _weights(
    batch: Batch, pairs: CandidatePairs, sentences: int | None
) -> list[tuple[float, ...]]:
    """Return the theme relevance of each sentence, pair by pair."""
    if sentences is None:
        found = theme_relevance(batch, pairs.hits)
        flat = found.weight.tolist()
        return [tuple(flat[a:b]) for a, b in pairwise(found.start.tolist())]
    table = sentence_weights(relevance(batch, pairs.hits), sentences)
    start, size = batch.sentence_start, np.diff(batch.sentence_start)
    rows = []
    for pair, article in enumerate(pairs.article.tolist()):
        cells = slice(table.indptr[pair], table.indptr[pair + 1])
        sentence = table.indices[cells] - start[article]
        row = np.bincount(sentence, table.data[cells], int(size[article]))
        rows.append(tuple(row.tolist()))
    return rows
