"""The links of new articles: with all of a small window, the nearest of a large."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.threads import thread_count
from ustory.links.article import LinkedArticle
from ustory.links.evidence import (
    MEANING,
    MEANING_EVEN,
    body_evidence,
    meaning_evidence,
    word_evidence,
)
from ustory.links.gaps import NODES
from ustory.links.graph import Links, strongest
from ustory.links.nearest_search import Found, Nearness, Shard, search, shards
from ustory.links.word_candidates import Candidates, candidates

MOST = 50
"""Links that an article brings at most, so that memory follows the window."""

FAINT = -3.5
"""Log-odds by words and meaning below which a pair is forgotten at once: time and
chance together hardly ever make up for that much."""

SMALL = 8_192
"""Articles of a window in which every pair is compared. In a larger one that would
take time by their square; the nearest of each are searched instead."""

SAMPLE = 512
"""New articles of a large window whose gaps in time to all others are counted."""

_TOGETHER = 512
"""New articles whose pairs are held at once, so that memory follows the window."""

Spread: TypeAlias = Callable[
    [Callable[[Shard, Nearness], Found], Sequence[Shard], Nearness], Sequence[Found]
]
"""Runs a task on each shard against what all of them see; results in order."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The links of a slide's articles, and how far apart in time alike ones are."""

    links: Links
    sure: Vector
    vague: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """How pairs are weighed."""

    idf: Vector
    meant: Matrix | None
    """(rows, dim) unit vectors of all articles; None: meaning does not count."""
    lead: bool
    """Whether leads count."""
    unit: float
    """Days between two nodes of `Gaps`."""
    day: Vector
    """(rows,) when each was published."""
    serial: Indices
    """(rows,) its place in the stream."""


def in_threads(
    task: Callable[[Shard, Nearness], Found], parts: Sequence[Shard], shared: Nearness
) -> Sequence[Found]:
    """Run a task on each shard, in this process."""
    with ThreadPoolExecutor(thread_count()) as workers:
        return list(workers.map(lambda part: task(part, shared), parts))


def paired(
    rows: Sequence[LinkedArticle],
    new: int,
    weighing: Weighing,
    spread: Spread = in_threads,
) -> Pairing:
    """Return the links of the `new` last of some articles with those before them."""
    if len(rows) > SMALL:
        return _nearest(rows, new, weighing, spread)
    links = []
    sure, vague = np.zeros(NODES), np.zeros(NODES)
    for start in range(len(rows) - new, len(rows), _TOGETHER):
        inside = rows[: start + _TOGETHER]
        places = np.arange(start, len(inside))
        pairs = candidates(inside, places, weighing.idf, weighing.unit)
        sure, vague = sure + pairs.sure, vague + pairs.vague
        links.append(_linked(pairs, weighing))
    return Pairing(Links.join(links), sure, vague)


def _nearest(
    rows: Sequence[LinkedArticle], new: int, weighing: Weighing, spread: Spread
) -> Pairing:
    """Return the links with the nearest articles of each new one.

    Gaps are counted of some new articles with the whole window, and stand for all.
    """
    sample = np.unique(
        np.linspace(len(rows) - new, len(rows) - 1, min(new, SAMPLE)).astype(np.int64)
    )
    gaps = candidates(rows, sample, weighing.idf, weighing.unit)
    window = Nearness.of(rows, new, weighing.idf)
    found = spread(search, shards(len(rows), new), window)
    links = [_linked(pairs, weighing) for pairs in _as_candidates(found)]
    share = new / len(sample)
    return Pairing(Links.join(links), gaps.sure * share, gaps.vague * share)


def _as_candidates(found: Sequence[Found]) -> Iterator[Candidates]:
    none = np.zeros(NODES)
    for part in found:
        yield Candidates(*part, none, none)


def _linked(pairs: Candidates, weighing: Weighing) -> Links:
    """Return the links of new articles: their strongest pairs."""
    words = body_evidence(pairs.body)
    if weighing.lead:
        words = word_evidence(pairs.body, pairs.lead)
    # meaning adds so much at most: what cannot reach FAINT need not be weighed
    hope = words >= FAINT - MEANING * (1 - MEANING_EVEN)
    pairs, words = pairs.only(hope), words[hope]
    meaning = np.zeros(len(words))
    if weighing.meant is not None:
        cosines = _cosines(weighing.meant, pairs.newer, pairs.older)
        meaning = meaning_evidence(cosines)
    total = words + meaning
    keep = np.flatnonzero(total >= FAINT)
    keep = keep[strongest(pairs.newer[keep], total[keep], MOST)]
    newer, older = pairs.newer[keep], pairs.older[keep]
    day, serial = weighing.day, weighing.serial
    return Links(
        older=serial[older],
        newer=serial[newer],
        words=words[keep],
        meaning=meaning[keep],
        gap=np.abs(day[newer] - day[older]),
    )


def _cosines(rows: Matrix, first: Indices, second: Indices) -> Vector:
    found = np.empty(len(first))
    # blocks that fit into the cache, in memory that is used again
    ends = np.empty((2, min(_BLOCK, len(first)), rows.shape[1]), dtype=np.float32)
    for start in range(0, len(first), _BLOCK):
        part = slice(start, start + _BLOCK)
        size = len(first[part])
        for end, places in zip(ends, (first, second), strict=True):
            np.take(rows, places[part], axis=0, out=end[:size], mode="clip")
        found[part] = np.einsum("ij,ij->i", ends[0, :size], ends[1, :size])
    return found


_BLOCK = 512
