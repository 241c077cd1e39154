"""Definitions 5 and 6 (Sec. 5) as plain loops: similarity, confidence, threshold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from tests.reference.records import Pair, Placed, Terms, Themed
from tests.reference.section4 import (
    article_vector,
    sentence_weights,
    story_vector,
    theme_relevance,
)
from ustory.core.arrays import Vector
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings

TIE = 1e-6
"""Similarities, cosines and log odds closer than this are equal."""


def cosine(one: Vector, other: Vector) -> float:
    """Return max(0, cos), 0 for a zero vector (Def 5.1, Eq. 4: the semantic part)."""
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return max(0.0, float(one @ other) / lengths) if lengths > 0 else 0.0


def keyword_similarity(
    article: Terms, story: Terms, theme: Iterable[str], name: str
) -> float:
    """Return how alike P_a,𝒦 and P_C,𝒦 are (Def 5.1, Eq. 4: the symbolic part).

    0 when the article has no keyword, whatever the measure.
    """
    keywords = list(theme)
    p = _distribution(article, keywords)
    q = _distribution(story, keywords)
    if sum(p) == 0:
        return 0.0
    if name == "kl":
        return math.exp(-_kl(p, q))
    if name == "emd":
        return sum(min(a, c) for a, c in zip(p, q, strict=True))
    middle = [(a + c) / 2 for a, c in zip(p, q, strict=True)]
    jsd = max(0.0, (_kl(p, middle) + _kl(q, middle)) / 2 / math.log(2))
    if name == "js-root-e":
        return 1 - math.sqrt(jsd * math.log(2))
    return 1 - math.sqrt(jsd) if name == "js-root" else 1 - jsd


def _distribution(terms: Terms, keywords: Sequence[str]) -> list[float]:
    total = sum(terms.get(term, 0) for term in keywords)
    return [terms.get(term, 0) / total if total else 0.0 for term in keywords]


def _kl(p: Sequence[float], q: Sequence[float]) -> float:
    return sum(a * math.log(a / c) for a, c in zip(p, q, strict=True) if a > 0)


def compare(
    article: Placed, story: Themed, settings: Settings, encoder: Encoder | None
) -> Pair | None:
    """Return sim_theme(a, C) = cosine · divergence (Def 5.1, Eq. 4).

    None without a shared keyword: the similarity is 0 and the pair no candidate.
    """
    vector = article_vector(article, story.theme, settings, encoder)
    if vector is None:
        return None
    seen = story_vector(
        story.members, article.time, story.span, time_aware=settings.time_aware
    )
    alike = cosine(vector, seen)
    shared = keyword_similarity(
        article.terms, story.counts, story.theme, settings.divergence
    )
    weights = sentence_weights(
        theme_relevance(article, story.theme), settings.sentences
    )
    return Pair(alike * shared, alike, shared, weights, vector)


def log_confidence(
    similarity: float, others: Sequence[float], stories: int, temperature: float
) -> float:
    """Return ln conf_a,C among n = max(|C|, 2) stories (Def 5.2, Eq. 5).

    `others` are the similarities to other stories; those not named have 0.
    """
    missing = max(stories, 2) - 1 - len(others)
    powers = [temperature * value for value in (similarity, *others)] + [0.0] * missing
    highest = max(powers)
    total = sum(math.exp(power - highest) for power in powers)
    return temperature * similarity - highest - math.log(total)


def threshold(stories: int, temperature: float) -> float:
    """Return γ = 1 − (1 − 1/n)^T with n = max(|C|, 2) (Sec. 5.3, unnumbered)."""
    return -math.expm1(temperature * math.log1p(-1 / max(stories, 2)))


def is_confident(similarity: float, log_odds: float) -> bool:
    """Say whether similarity > 0 and conf ≥ γ, up to rounding (Alg. 1, line 8)."""
    return similarity > 0 and log_odds >= -TIE
