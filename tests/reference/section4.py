"""Definitions 2 to 4 (Sec. 4) as plain loops: themes, articles and stories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from tests.reference.records import Dated, Member, Placed, Terms, Theme
from ustory.core.arrays import Vector
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings

BM25L = {"k1": 1.2, "b": 0.75, "delta": 0.5}


def decayed_terms(
    corpora: Sequence[Sequence[Dated]], time_aware: bool
) -> list[dict[str, float]]:
    """Return rec-pop(k, d, t_c) of every term of every corpus (Def 4.1, Eq. 1).

    Σ exp(−|t − t_c| / δ_k) over the appearances; t_c is the newest time in 𝔻
    and δ_k = max − min + 1 of its times, in days.
    """
    times = [article.time for corpus in corpora for article in corpus]
    newest, span = max(times), max(times) - min(times) + 1.0
    decayed: list[dict[str, float]] = []
    for corpus in corpora:
        found: dict[str, float] = {}
        for article in corpus:
            recency = math.exp(-(newest - article.time) / span) if time_aware else 1.0
            for term, count in article.terms.items():
                found[term] = found.get(term, 0.0) + recency * count
        decayed.append(found)
    return decayed


def keyword_weights(
    corpora: Sequence[Sequence[Dated]], settings: Settings
) -> list[Theme]:
    """Return w_k of every term of every corpus of 𝔻 (Def 4.1, Eq. 1).

    tfidf: rec-pop · log((|𝔻| + 1) / (df + 1) + 1). bm25l: see `_bm25l`.
    """
    decayed = decayed_terms(corpora, settings.time_aware)
    containing: Terms = {}
    for found in decayed:
        for term in found:
            containing[term] = containing.get(term, 0) + 1
    lengths = [sum(found.values()) for found in decayed]
    mean = sum(lengths) / len(lengths)
    size = len(corpora)
    weights: list[Theme] = []
    for found, length in zip(decayed, lengths, strict=True):
        if settings.scoring == "bm25l":
            weights.append(
                {
                    term: _bm25l(popular, length / mean)
                    * math.log((size + 1) / (containing[term] + 0.5))
                    for term, popular in found.items()
                }
            )
        else:
            weights.append(
                {
                    term: popular * math.log((size + 1) / (containing[term] + 1) + 1)
                    for term, popular in found.items()
                }
            )
    return weights


def _bm25l(popular: float, length: float) -> float:
    """Return BM25L's saturated frequency, `length` being relative to the mean."""
    k1, b, delta = BM25L["k1"], BM25L["b"], BM25L["delta"]
    c = popular / (1 - b + b * length)
    return (k1 + 1) * (c + delta) / (k1 + c + delta)


def top_keywords(weights: Theme, keywords: int, *, alphabetical: bool) -> Theme:
    """Return 𝒦_d: the top N of `weights`, best first (Def 4.1).

    Weights are compared as float32. Ties go to the term first in the alphabet,
    or else to the one that comes first in `weights`.
    """
    order = sorted(weights) if alphabetical else list(weights)
    order.sort(key=lambda term: -float(np.float32(weights[term])))
    return {term: weights[term] for term in order[:keywords]}


def story_themes(stories: Sequence[Sequence[Dated]], settings: Settings) -> list[Theme]:
    """Return 𝒦_C of each story, the stories being 𝔻 (Def 4.1; Sec. 5.3)."""
    return [
        top_keywords(weights, settings.keywords, alphabetical=True)
        for weights in keyword_weights(stories, settings)
    ]


def own_themes(articles: Sequence[Dated], settings: Settings) -> list[Theme]:
    """Return 𝒦_a of each article, all of the window being 𝔻 (Def 4.1; Sec. 5.2)."""
    return [
        top_keywords(weights, settings.keywords, alphabetical=False)
        for weights in keyword_weights([[article] for article in articles], settings)
    ]


def theme_relevance(article: Placed, theme: Theme) -> list[float]:
    """Return Σ_k |k ∈ 𝒯_s| · w_k of each sentence (Def 4.2, Eq. 2: numerators)."""
    return [
        sum(counts.get(term, 0) * weight for term, weight in theme.items())
        for counts in article.counts
    ]


def most_relevant(relevance: Sequence[float], sentences: int | None) -> list[int]:
    """Return the sentences with a keyword, best first, at most `sentences` of them.

    Relevance is compared as float32, ties go to the earlier sentence.
    """
    hits = [place for place, value in enumerate(relevance) if value > 0]
    hits.sort(key=lambda place: -float(np.float32(relevance[place])))
    return hits[:sentences]


def sentence_weights(
    relevance: Sequence[float], sentences: int | None
) -> tuple[float, ...]:
    """Return the weight of each sentence in E_a|d, summing to 1 (Def 4.2, Eq. 2).

    All 0 when no sentence has a keyword: 0/0 in the paper.
    """
    chosen = set(most_relevant(relevance, sentences))
    total = sum(relevance[place] for place in chosen)
    return tuple(
        value / total if place in chosen else 0.0
        for place, value in enumerate(relevance)
    )


def is_thematic(settings: Settings) -> bool:
    """Say whether an article's vector depends on the theme (Sec. 6.3)."""
    return settings.theme_aware and settings.representation.startswith("Them")


def plain_mean(article: Placed, settings: Settings) -> Vector:
    """Return the mean of the (first n) sentence vectors, not renormalised."""
    mean: Vector = article.vectors[: settings.sentences].mean(axis=0)
    return mean


def whole_article(
    article: Placed, settings: Settings, encoder: Encoder | None
) -> Vector:
    """Return what no theme changes: IndSentMean or IndSentConc (Sec. 6.3)."""
    if settings.theme_aware and settings.representation == "IndSentConc":
        return _encoded(article.sentences[: settings.sentences], encoder)
    return plain_mean(article, settings)


def _encoded(sentences: Sequence[str], encoder: Encoder | None) -> Vector:
    if encoder is None:
        raise ValueError("a concatenating representation needs an encoder; got None")
    row: Vector = encoder.encode([" ".join(sentences)])[0].astype(np.float64)
    return row


def article_vector(
    article: Placed, theme: Theme, settings: Settings, encoder: Encoder | None
) -> Vector | None:
    """Return E_a|d, or None when no sentence has a keyword (Def 4.2, Eq. 2)."""
    relevance = theme_relevance(article, theme)
    chosen = most_relevant(relevance, settings.sentences)
    if not chosen:
        return None
    if not is_thematic(settings):
        return whole_article(article, settings, encoder)
    if settings.representation == "ThemSentConc":
        return _encoded([article.sentences[place] for place in chosen], encoder)
    vector = np.zeros(article.vectors.shape[1])
    weights = sentence_weights(relevance, settings.sentences)
    for weight, row in zip(weights, article.vectors, strict=True):
        vector += weight * row
    return vector


def initial_vector(
    article: Placed, theme: Theme, settings: Settings, encoder: Encoder | None
) -> Vector:
    """Return E_a|{a}, `theme` being the article's own (Def 4.2, Eq. 2; Sec. 5.2)."""
    if settings.initial == "mean":
        return plain_mean(article, settings)
    if not is_thematic(settings):
        return whole_article(article, settings, encoder)
    vector = article_vector(article, theme, settings, encoder)
    return plain_mean(article, settings) if vector is None else vector


def story_span(
    story: Sequence[Dated], everyone: Sequence[Dated], settings: Settings
) -> float:
    """Return δ_C in days: max(span, 1 day), or W (Def 4.3).

    A window by number has no duration: `everyone` in it shows how long it is.
    """
    if settings.story_span == "window" and isinstance(settings.window, timedelta):
        return settings.window / timedelta(days=1)
    seen = everyone if settings.story_span == "window" else story
    times = [article.time for article in seen]
    return max(max(times) - min(times), 1.0)


def story_vector(
    members: Sequence[Member], time: float, span: float, *, time_aware: bool = True
) -> Vector:
    """Return E_C|a for an article of that `time` (Def 4.3, Eq. 3)."""
    ages = [abs(time - member.time) / span for member in members]
    vector = np.zeros_like(members[0].vector)
    total = 0.0
    for age, member in zip(ages, members, strict=True):
        weight = math.exp(min(ages) - age) if time_aware else 1.0
        vector += weight * member.vector
        total += weight
    return vector / total
