"""The true stories of a stream that are easiest to take for each other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from ustory.core.arrays import Mask, Matrix, Vector
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.paper.embedding.article import unit_rows
from ustory_bench.experiments.segments import Stretch, between
from ustory_bench.runner.score import duration
from ustory_bench.runner.streams import Stream

LEAST = (4, 3, 2)
"""Articles that each of the two stories has; fewer only where there are no others."""
PAIRS = 6
"""Looked at, at most."""
BEFORE, AFTER = 2, 3
"""Windows that are looked at before and after the two stories meet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two true stories that are in the news together, and the days around that."""

    story: str
    neighbour: str
    similarity: float
    """Mean cosine of an article of the one and an article of the other."""
    stretch: Stretch


@dataclass(frozen=True, slots=True)
class _Members:
    """The articles of each true story, as columns."""

    names: list[str]
    first: list[datetime]
    last: list[datetime]
    size: list[int]
    means: Matrix
    """(stories, dim) mean of the unit vectors of their articles."""


def most_confusable(stream: Stream, settings: Settings) -> list[Twins]:
    """Return the pairs of true stories with the highest similarity across, at most 6.

    The two can share a window: the one begins less than W after the other ends. The
    similarity is the mean cosine of their articles by IndSentMean. No story is in two
    pairs, and of a pair the story with more articles is named first.
    """
    members = _members(stream)
    near = (members.means @ members.means.T).astype(np.float64)
    together = _together(members, settings)
    size = np.array(members.size)
    for least in LEAST:
        known = (size >= least)[:, None] & (size >= least)[None, :]
        pairs = _best(np.where(together & known, near, -np.inf))
        if pairs:
            return [_twins(members, stream, settings, pair) for pair in pairs]
    raise ConfigError(
        "neighbours need two true stories of two articles each in one window; "
        f"{stream.name} has none: give a stream with more, or a longer window"
    )


def _best(near: Vector) -> list[tuple[int, int]]:
    """Return the best pairs, best first, each story in one of them."""
    left = near.copy()
    pairs: list[tuple[int, int]] = []
    while len(pairs) < PAIRS and np.isfinite(left).any():
        one, other = divmod(int(left.argmax()), len(left))
        pairs.append((one, other))
        left[[one, other]] = -np.inf
        left[:, [one, other]] = -np.inf
    return pairs


def _twins(
    members: _Members, stream: Stream, settings: Settings, pair: tuple[int, int]
) -> Twins:
    window = duration(settings.window)
    larger, other = sorted(pair, key=lambda i: (-members.size[i], members.names[i]))
    meeting = max(members.first[larger], members.first[other])
    return Twins(
        story=members.names[larger],
        neighbour=members.names[other],
        similarity=float(members.means[larger] @ members.means[other]),
        stretch=between(stream, meeting - BEFORE * window, meeting + AFTER * window),
    )


def _members(stream: Stream) -> _Members:
    rows: dict[str, list[int]] = {}
    for place, one in enumerate(stream.articles):
        if one.article.label is not None:
            rows.setdefault(one.article.label, []).append(place)
    names = sorted(rows)
    times = [one.article.published_at for one in stream.articles]
    means = np.stack([one.vectors.mean(axis=0) for one in stream.articles])
    unit = unit_rows(means.astype(np.float32))
    return _Members(
        names,
        [times[rows[name][0]] for name in names],
        [times[rows[name][-1]] for name in names],
        [len(rows[name]) for name in names],
        np.stack([unit[rows[name]].mean(axis=0) for name in names]),
    )


def _together(members: _Members, settings: Settings) -> Mask:
    """Return which two different stories can be in one window."""
    window = duration(settings.window).total_seconds()
    first = np.array([time.timestamp() for time in members.first])
    last = np.array([time.timestamp() for time in members.last])
    gap = np.maximum(first[:, None], first) - np.minimum(last[:, None], last)
    near: Mask = gap < window
    np.fill_diagonal(near, False)
    return near
