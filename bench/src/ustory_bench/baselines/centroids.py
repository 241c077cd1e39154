"""Clusters while articles join them: sums of sub-vectors, and their dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from ustory.core.arrays import Matrix, Vector

Rows: TypeAlias = sparse.csr_array | Matrix | Vector
"""One row per document or cluster; those of documents are of unit length."""

_NOTHING = 1e-6


class SubVector:
    """One sub-vector of the new articles and of the clusters they join in turn."""

    def __init__(
        self,
        weight: float,
        rows: Rows,
        new: Sequence[int],
        clusters: Sequence[Sequence[int]],
    ) -> None:
        self._weight = weight
        owner = np.repeat(np.arange(len(clusters)), [len(each) for each in clusters])
        row = np.array([row for each in clusters for row in each], dtype=np.int64)
        # as many rows as there can be clusters: each new article may found one
        member = sparse.csr_array(
            (np.ones(len(row)), (owner, row)),
            shape=(len(clusters) + len(new), rows.shape[0]),
        )
        sums, fresh = _rows(member @ rows), _rows(rows[new])
        self._between = _products(fresh, fresh)  # (new, new)
        self._products = _products(fresh, sums)  # (new, clusters)
        self._squares = _squares(sums)  # (clusters,)

    def cosines(self, article: int, clusters: int) -> Vector:
        """Return the weighted cosines of a new article and the first clusters."""
        # opposite vectors add up to nothing but what rounding left
        lengths = np.sqrt(np.maximum(self._squares[:clusters], 0))
        found = np.zeros(clusters)
        np.divide(
            self._products[article, :clusters],
            lengths,
            out=found,
            where=lengths > _NOTHING,
        )
        return self._weight * found

    def join(self, article: int, cluster: int) -> None:
        """Add a new article to the sum of a cluster: |c + a|² = |c|² + 2ca + |a|²."""
        joined = 2 * self._products[article, cluster] + self._between[article, article]
        self._squares[cluster] += joined
        self._products[:, cluster] += self._between[:, article]


def _rows(found: Any) -> Rows:  # noqa: ANN401 - what scipy makes of a product
    return found if isinstance(found, np.ndarray) else sparse.csr_array(found)


def _products(one: Rows, other: Rows) -> Vector:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.asarray(one @ np.asarray(other).T, dtype=np.float64)
    return np.asarray((one @ other.T).toarray())


def _squares(rows: Rows) -> Vector:
    squares = rows * rows if isinstance(rows, np.ndarray) else rows.multiply(rows)
    return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()


@dataclass(frozen=True, slots=True)
class Dates:
    """The dates of the clusters, in days: an entry of each array per cluster."""

    newest: Vector
    oldest: Vector
    total: Vector
    size: Vector

    @classmethod
    def of(cls, clusters: Sequence[Sequence[float]]) -> Dates:
        """Return the dates of clusters, from those of their articles."""
        return cls(
            np.array([max(days) for days in clusters]),
            np.array([min(days) for days in clusters]),
            np.array([sum(days) for days in clusters], dtype=np.float64),
            np.array([len(days) for days in clusters], dtype=np.float64),
        )

    def joined(self, cluster: int, day: float) -> Dates:
        """Return the dates after an article joined a cluster, or founded the next."""
        if cluster == len(self.size):
            alone = (day, day, day, 1.0)
            held = (self.newest, self.oldest, self.total, self.size)
            return Dates(*(np.append(a, b) for a, b in zip(held, alone, strict=True)))
        here = np.arange(len(self.size)) == cluster
        return Dates(
            np.where(here, np.maximum(self.newest, day), self.newest),
            np.where(here, np.minimum(self.oldest, day), self.oldest),
            self.total + here * day,
            self.size + here,
        )


def closeness(dates: Dates, day: float, sigma: float) -> Vector:
    """Return how near in time an article is to each cluster, from 0 to 3.

    γ = Σ exp(−(t − t_c)² / 2σ²)   over t_c = newest, oldest and mean date
    """
    means = dates.total / np.maximum(dates.size, 1)
    apart = np.stack([dates.newest, dates.oldest, means]) - day
    return np.asarray(np.exp(-np.square(apart) / (2 * sigma**2)).sum(axis=0))
