"""Gists of a stream without what all articles of a language share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Mask, Matrix, Vector
from ustory.core.rules import MAX_DAYS, Alike, Arrays, Ascending, Holds, Rule, Within
from ustory.links.article import LinkedArticle
from ustory.links.background import fading
from ustory.links.evidence.gist import GistEvidence, table_of
from ustory.links.evidence.names import MOST_NAMES, NameEvidence
from ustory.links.near_lists import LENGTH

KNOWN = 30.0
"""Articles of a language that stand for "as in the others", and of all languages for
"nothing is shared", until there are many more."""

RARE = 0.01
"""Articles of a language below which it is forgotten: it was not seen for months."""

_ROUNDING = 1e-6
"""A float32 vector this near the mean is the mean, and has no direction of its own."""


@dataclass(frozen=True, slots=True)
class GistRows:
    """The gists of a window's articles, ready to be compared."""

    vectors: Matrix
    """(rows, dim) unit rows, or rows of 0 where an article has no gist."""
    language: Indices
    """(rows,) the number of each article's language."""
    there: Mask
    """(rows,) which articles have a gist."""

    def only(self, rows: Indices) -> GistRows:
        """Return some of the rows."""
        return GistRows(self.vectors[rows], self.language[rows], self.there[rows])

    def with_rows(self, others: GistRows) -> GistRows:
        """Return the rows, and others behind them."""
        return GistRows(
            np.concatenate([self.vectors, others.vectors]),
            np.concatenate([self.language, others.language]),
            np.append(self.there, others.there),
        )


def _one_row_each(languages: Indices, total: Vector, articles: Vector) -> bool:
    """Whether each language has a sum of rows, none longer than 1."""
    rows = len(total) == len(languages)
    most = np.abs(total).max(axis=1, initial=0.0) if total.ndim == 2 else total
    return rows and bool((most <= 1.01 * articles + 1e-9).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class Gists:
    """The mean gist of each language of a stream, fading with time.

    Vectors of one language share a direction, so two articles in one language are
    nearer to each other than two in two are, whatever they report.
    """

    day: float = 0.0
    languages: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Numbers of languages, ascending."""
    articles: Vector = field(default_factory=lambda: np.zeros(0))
    """(languages,) how many articles there were."""
    total: Vector = field(default_factory=lambda: np.zeros((0, 0)))
    """(languages, dim) the sum of their gists."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "languages"),
        Arrays("float64", "articles"),
        Arrays("float64", "total", axes=2),
        Alike("languages", "articles"),
        Ascending("languages"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Within(0, 2**15, "languages"),
        Within(0, 1e15, "articles"),
        Within(-1e15, 1e15, "total"),
        Holds(
            "each language must have the sum of its gists",
            _one_row_each,
            "languages",
            "total",
            "articles",
        ),
    )

    def after(self, new: Sequence[LinkedArticle], day: float) -> Gists:
        """Return what is known some time later, with new articles in it."""
        columns = [gist for article in new if len(gist := _column(article))]
        if not columns:
            return self
        table = table_of(columns)
        left = fading(day - self.day)
        kept = self.articles * left > RARE
        kept &= self.total.shape[1] == table.shape[1] - 1
        here = np.unique(table[:, 0].astype(np.int64))
        languages = np.union1d(self.languages[kept], here)
        articles = np.zeros(len(languages))
        total = np.zeros((len(languages), table.shape[1] - 1))
        if kept.any():
            before = np.searchsorted(languages, self.languages[kept])
            articles[before] = self.articles[kept] * left
            total[before] = self.total[kept] * left
        for number in here.tolist():
            rows = table[table[:, 0] == number, 1:]
            place = np.searchsorted(languages, number)
            articles[place] += len(rows)
            total[place] += rows.sum(axis=0, dtype=np.int64) / LENGTH
        return Gists(day=day, languages=languages, articles=articles, total=total)

    def rows(self, articles: Sequence[LinkedArticle]) -> GistRows:
        """Return the gists of articles, without what their language shares."""
        columns = [_column(article) for article in articles]
        table = table_of(columns, self.total.shape[1] + 1)
        language = table[:, 0].astype(np.int64)
        vectors = table[:, 1:].astype(np.float32) / np.float32(LENGTH)
        there: Mask = np.asarray(vectors.any(axis=1))
        if not len(self.languages):
            return GistRows(vectors, language, there)
        shared, means = self._means()
        known = np.searchsorted(self.languages, language)
        known = np.minimum(known, len(self.languages) - 1)
        own = self.languages[known] == language
        vectors -= np.where(own[:, None], means[known], shared).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, _ROUNDING)
        vectors[~there] = 0.0
        return GistRows(vectors, language, there)

    def _means(self) -> tuple[Vector, Vector]:
        """Return the mean of all languages, and that of each."""
        shared = self.total.sum(axis=0) / (self.articles.sum() + KNOWN)
        own = (self.total + KNOWN * shared) / (self.articles[:, None] + KNOWN)
        return shared, own


def is_sound(columns: Mapping[str, NDArray[Any]]) -> bool:
    """Say whether what evidence keeps of gist and names is what it would have kept."""
    gist = columns.get(GistEvidence.name)
    names = columns.get(NameEvidence.name)
    return (gist is None or _is_gist(gist)) and (
        names is None
        or (
            names.dtype == np.int64
            and names.ndim == 1
            and len(names) <= MOST_NAMES
            and bool((np.diff(names) > 0).all())
        )
    )


def _is_gist(column: NDArray[Any]) -> bool:
    if column.dtype != np.int16 or column.ndim != 1 or not len(column):
        return False
    length = np.linalg.norm(column[1:].astype(np.float64))
    return column[0] >= 0 and bool(length < 2 * LENGTH)


def _column(article: LinkedArticle) -> NDArray[Any]:
    return article.columns.get(GistEvidence.name, np.zeros(0, dtype=np.int16))
