"""Whose text an article from outside the window has, if it is a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.links.article import LinkedArticle
from ustory.links.copies import COPIED, SHORT
from ustory.links.copy_scan import COMMON
from ustory.links.word_scan import postings


class Originals:
    """The texts of the window, each once, found by their terms.

    The rule is that of `find_copies`, with how rare terms are in the window as it
    is: one article more hardly changes that.
    """

    __slots__ = ("_index", "_length", "_most", "_texts", "_weight")

    def __init__(self, articles: Sequence[LinkedArticle], vocabulary: int) -> None:
        self._texts = len(articles)
        none = np.zeros(0, dtype=np.int32)
        terms = np.concatenate([none, *(a.terms for a in articles)])
        tf = np.concatenate([none, *(a.tf for a in articles)])
        sizes = [len(a.terms) for a in articles]
        start = np.cumsum([0, *sizes], dtype=np.int64)
        self._index = postings(start, terms, tf, vocabulary)
        self._most = max(COMMON, (self._texts + 1) // 8)
        owner = np.repeat(np.arange(self._texts), sizes)
        heavy = np.where(self._has(terms) > self._most, 0, tf)
        self._weight = np.bincount(owner, heavy * self._idf(terms), self._texts)
        self._length = np.bincount(owner, heavy, self._texts)

    def _has(self, terms: Indices) -> Counts:
        """Return how many texts have each term; none has -1."""
        first = self._index[0]
        return np.where(terms < 0, 0, first[terms + 1] - first[terms])

    def _idf(self, terms: Indices) -> Vector:
        found: Vector = np.log1p(self._texts / np.maximum(self._has(terms), 1))
        return found

    def original(self, terms: Indices, tf: Counts) -> int | None:
        """Return the row of the text that these terms are a copy of, if any.

        `terms` are numbers of the window, -1 for those it does not have.
        """
        rare = self._has(terms) <= self._most
        terms, tf = terms[rare], tf[rare]
        idf = self._idf(terms)
        weight, length = float(tf @ idf), float(tf.sum())
        row, both, place = self._common(terms, tf)
        common = np.bincount(row, both, self._texts)
        near = np.flatnonzero(common)
        shared = np.bincount(row, both * idf[place], self._texts)[near]
        enough = common[near] >= np.minimum(
            SHORT, np.maximum(length, self._length[near])
        )
        enough &= shared >= COPIED * np.minimum(weight, self._weight[near])
        if not enough.any():
            return None
        alike = shared / np.maximum(weight, self._weight[near])
        return int(near[enough][np.argmax(alike[enough])])

    def _common(self, terms: Indices, tf: Counts) -> tuple[Indices, Vector, Indices]:
        """Return rows that have the terms, how often both do, and which term it is."""
        first, rows, counts = self._index
        sizes = self._has(terms)
        ends = np.cumsum(sizes)
        place = np.repeat(np.arange(len(terms)), sizes)
        start = np.where(terms < 0, 0, first[terms])
        entry = np.arange(len(place)) + np.repeat(start - (ends - sizes), sizes)
        return rows[entry], np.minimum(tf[place], counts[entry]), place
