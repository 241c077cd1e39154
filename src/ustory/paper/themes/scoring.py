"""Weights of terms by recency and popularity, and the heaviest (Eq. 1 and 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.window.vocabulary import Vocabulary


def decay(age: Vector, span: float, time_aware: bool) -> Vector:
    """Return exp(−age / δ), or 1 if time does not count.

    >>> decay(np.array([0.0, 7.0]), 7.0, time_aware=True).round(4).tolist()
    [1.0, 0.3679]
    """
    return np.exp(-age / span) if time_aware else np.ones_like(age)


def pane_recency(
    panes: Iterable[int], days: Mapping[int, float], time_aware: bool
) -> dict[int, float]:
    """Return exp(−|t_p − t_c| / δ_k) of each pane of 𝔻 (Eq. 1, 7).

    t_c is the newest of them and δ_k their span in days, plus 1.
    """
    ordered = sorted(panes)
    times = np.array([days[pane] for pane in ordered])
    factor = decay(times.max() - times, float(np.ptp(times)) + 1, time_aware)
    return dict(zip(ordered, factor.tolist(), strict=True))


def top_terms(
    terms: Indices, weights: Vector, keywords: int, vocabulary: Vocabulary
) -> Indices:
    """Return the positions of the N heaviest terms, heaviest first.

    Weights are compared as float32: sums of the same numbers in another order
    are then ties, and ties go to the term that comes first in the alphabet.
    """
    rank = weights.astype(np.float32)
    if len(rank) > keywords:
        least = np.partition(rank, len(rank) - keywords)[len(rank) - keywords]
        places = np.flatnonzero(rank >= least)
    else:
        places = np.arange(len(rank))
    places = places[np.argsort(-rank[places], kind="stable")]
    order = rank[places].tolist()
    if len(set(order)) < len(order):
        names = [vocabulary.term(int(terms[i])) for i in places.tolist()]
        heaviest = sorted(range(len(order)), key=lambda i: (-order[i], names[i]))
        places = places[heaviest]
    return places[:keywords]


@dataclass(frozen=True, slots=True)
class Context:
    """What a scoring function may use: the corpora 𝔻 and the targets."""

    corpora: int
    """|𝔻|."""
    lengths: Vector
    """Decayed length of each target corpus."""
    sizes: Sequence[int] | Counts
    """How many of the entries, in order, belong to each target corpus."""
    mean_length: float
    """Mean decayed length over 𝔻."""

    @property
    def length(self) -> Vector:
        """Decayed length of each entry's target corpus."""
        return np.repeat(self.lengths, self.sizes)


class Scoring(Protocol):
    """A keyword scoring function; it must grow with tf and fall with df."""

    def __call__(self, tf: Vector, df: Counts, context: Context) -> Vector:
        """Return w_k for each entry with decayed frequency `tf` in its corpus."""
        ...


def tfidf(tf: Vector, df: Counts, context: Context) -> Vector:
    """Return time-decayed TF-IDF (Def 4.1, Eq. 1).

        w_k = rec-pop(k) · log((|𝔻| + 1) / (df_k + 1) + 1)

    >>> context = Context(3, np.array([4.0]), np.array([1]), 4.0)
    >>> tfidf(np.array([2.0]), np.array([1]), context).round(4).tolist()
    [2.1972]
    """
    highest = int(df.max(initial=0))
    return tf * idf_levels(context.corpora, highest)[df]


def idf_levels(corpora: int, highest: int | None = None) -> Vector:
    """Return log((|𝔻| + 1) / (df + 1) + 1) of df = 0, 1, …: few, so few logarithms."""
    levels = np.arange((corpora if highest is None else highest) + 1)
    return np.log((corpora + 1) / (levels + 1) + 1)


K1, B, DELTA = 1.2, 0.75, 0.5


def bm25l(tf: Vector, df: Counts, context: Context) -> Vector:
    """Return BM25L (Lv & Zhai 2011) with tf and lengths both decayed.

        c = tf / (1 − b + b · L / mean L)
        w = (k1 + 1)(c + δ) / (k1 + c + δ) · log((|𝔻| + 1) / (df + 0.5))

    with k1 = 1.2, b = 0.75, δ = 0.5.
    """
    share = context.length / max(context.mean_length, 1e-12)
    c = tf / (1 - B + B * share) + DELTA
    weight = (K1 + 1) * c / (K1 + c)
    levels = np.arange(int(df.max(initial=0)) + 1)
    return np.asarray(weight * np.log((context.corpora + 1) / (levels + 0.5))[df])
