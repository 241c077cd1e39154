"""How alike articles of one story are, and the nearest of two, article by article."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Matrix, Vector

_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Block:
    """Some articles, those around them, and who is whose."""

    rows: Indices
    low: int
    high: int
    """The articles around are those from `low` up to, but without, `high`."""
    own: Mask
    """(rows, around) whether two are of one story and less than a window apart."""
    other: Mask
    """The same of two that are not of one story."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike articles are by one measure, each against all around it."""

    within: Vector
    """Of every pair of one story."""
    weight: Vector
    """Of these pairs: those of one article have 1 in all, however large its story."""
    outside: Vector
    """Of each article and the nearest of another story."""
    confused: float | None
    """Share of the articles whose nearest is of another story."""


def blocks(
    judged: Indices, stories: Indices, moments: Indices, window: int
) -> Iterator[Block]:
    """Yield the judged articles some at a time; articles are in order of time."""
    for start in range(0, len(judged), _BLOCK):
        rows = judged[start : start + _BLOCK]
        low = int(np.searchsorted(moments, moments[rows[0]] - window, side="right"))
        high = int(np.searchsorted(moments, moments[rows[-1]] + window, side="left"))
        near = np.abs(moments[rows][:, None] - moments[None, low:high]) < window
        near[np.arange(len(rows)), rows - low] = False
        same = stories[rows][:, None] == stories[None, low:high]
        same &= stories[rows][:, None] >= 0
        yield Block(rows, low, high, near & same, near & ~same)


def likeness(rows: sparse.csr_array | Matrix, parts: Sequence[Block]) -> Likeness:
    """Return how alike the articles are of which these are rows of unit length."""
    within, weight, outside, nearer = [], [], [], []
    for part in parts:
        alike = rows[part.rows] @ rows[part.low : part.high].T
        if sparse.issparse(alike):
            alike = alike.toarray()
        own = part.own.sum(axis=1)
        within.append(alike[part.own])
        weight.append(np.repeat(1 / np.maximum(own, 1), own))
        best = np.where(part.other, alike, -1.0).max(axis=1, initial=-1.0)
        has = part.other.any(axis=1)
        outside.append(best[has])
        inside = np.where(part.own, alike, -1.0).max(axis=1, initial=-1.0)
        both = has & (own > 0)
        nearer.append(best[both] >= inside[both])
    judged = np.concatenate(nearer)
    return Likeness(
        within=np.concatenate(within),
        weight=np.concatenate(weight),
        outside=np.concatenate(outside),
        confused=float(judged.mean()) if len(judged) else None,
    )


@dataclass(frozen=True, slots=True)
class Shared:
    """Which of its own terms an article has in common, on average."""

    pair: float | None
    """Share that another article of its story has."""
    story: float | None
    """Share that any of these has."""
    outside: float | None
    """Share that an article of another story has."""


def shared(
    terms: sparse.csr_array, chosen: sparse.csr_array, parts: Sequence[Block]
) -> Shared:
    """Return how many of the chosen terms of articles others have too.

    Both are of 0 and 1; `chosen` are some of `terms`.
    """
    pair, story, outside = [], [], []
    for part in parts:
        mine = chosen[part.rows]
        around = terms[part.low : part.high]
        count = mine.sum(axis=1)
        share = (mine @ around.T).toarray() / np.maximum(count, 1)[:, None]
        own, other = part.own.sum(axis=1), part.other.sum(axis=1)
        has = (count > 0) & (own > 0)
        pair.append((share * part.own).sum(axis=1)[has] / own[has])
        there = sparse.csr_array(part.own.astype(np.float64)) @ around
        any_has = mine.multiply(there > 0).sum(axis=1)
        story.append(any_has[has] / count[has])
        has = (count > 0) & (other > 0)
        outside.append((share * part.other).sum(axis=1)[has] / other[has])
    return Shared(*(_mean(np.concatenate(each)) for each in (pair, story, outside)))


def weighted_quantiles(
    values: Vector, weights: Vector, points: Sequence[float]
) -> list[float]:
    """Return the values below which these parts of all weight are.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), (0.1, 0.5))
    [1.0, 2.0]
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(reached, np.array(points) - 1e-12)
    return [float(values[order[place]]) for place in places.tolist()]


def _mean(values: Vector) -> float | None:
    return float(values.mean()) if len(values) else None
