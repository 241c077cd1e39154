"""What the transcription of the paper keeps of articles and stories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.article import PreparedArticle

Terms = dict[str, int]
"""𝒯 of something: how often each term appears in it."""

Theme = dict[str, float]
"""𝒦 of a corpus: its keywords, best first, with their weights w_k."""


class Dated(Protocol):
    """What Eq. 1 needs to know of an article: its terms and its pane's time."""

    @property
    def time(self) -> float:
        """Time of its pane, in days."""
        ...

    @property
    def terms(self) -> Terms:
        """𝒯_a, in a fixed order."""
        ...


@dataclass(frozen=True, slots=True)
class Placed:
    """An article in its pane, with its terms counted out sentence by sentence."""

    id: str
    pane: int
    time: float
    sentences: tuple[str, ...]
    counts: tuple[Terms, ...]
    """𝒯_s of each sentence."""
    terms: Terms
    """𝒯_a, in the order of `TermCounts.terms`."""
    vectors: Vector
    """enc(s) of each sentence, one row each."""


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a story, with E_a|C frozen when it joined."""

    id: str
    pane: int
    time: float
    terms: Terms
    vector: Vector


@dataclass(frozen=True, slots=True)
class Themed:
    """A story C, or what may become one, with all that a comparison needs."""

    members: Sequence[Member]
    theme: Theme
    counts: Terms
    """𝒯_C: raw counts of its members."""
    span: float
    """δ_C in days."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An article seen through a story whose keywords it shares."""

    similarity: float
    cosine: float
    divergence: float
    weights: tuple[float, ...]
    vector: Vector


@dataclass(frozen=True, slots=True)
class PaneSummary:
    """The triplet of Def 5.3 (Eq. 6)."""

    articles: int
    terms: Terms
    vectors: Vector


def place(prepared: PreparedArticle, pane: int, time: float) -> Placed:
    """Return the article in its pane, its sparse counts written out."""
    sentences: tuple[Terms, ...] = tuple({} for _ in prepared.sentences)
    cells = prepared.counts
    whole = dict.fromkeys(cells.terms, 0)
    for term, sentence, count in zip(
        cells.term, cells.sentence, cells.count, strict=True
    ):
        word = cells.terms[term]
        sentences[sentence][word] = int(count)
        whole[word] += int(count)
    vectors = prepared.vectors.astype(np.float64)
    return Placed(
        prepared.article.id, pane, time, prepared.sentences, sentences, whole, vectors
    )


def total_terms(articles: Iterable[Dated]) -> Terms:
    """Return 𝒯_d: how often each term appears in all `articles` together."""
    total: Terms = {}
    for article in articles:
        for term, count in article.terms.items():
            total[term] = total.get(term, 0) + count
    return total


def summarise(members: Iterable[Member]) -> dict[int, PaneSummary]:
    """Return PSS_C: count, tf and Σ E_a|C of each story pane (Def 5.3, Eq. 6)."""
    panes: dict[int, list[Member]] = {}
    for member in members:
        panes.setdefault(member.pane, []).append(member)
    return {
        pane: PaneSummary(
            len(inside), total_terms(inside), np.sum([m.vector for m in inside], axis=0)
        )
        for pane, inside in sorted(panes.items())
    }
