"""The links of new articles: with all of a small window, the nearest of a large."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.evidence import Evidence, KeyCounts, Pairs
from ustory.core.threads import thread_count
from ustory.links.article import LinkedArticle
from ustory.links.gists import GistRows
from ustory.links.graph import Links, strongest
from ustory.links.word_candidates import (
    Nearness,
    Shard,
    body_rows,
    candidates,
    lead_rows,
    pair_cosines,
    search,
    shards,
)
from ustory.links.word_scan import FoundPairs

MAX_LINKS_PER_ARTICLE = 50
"""Links that an article brings at most, so that memory is linear in the window."""

MIN_LOG_ODDS = -3.5
"""Log-odds by all evidence below which a pair is dropped at once: time and the prior
together hardly ever make up for that much."""

SMALL = 8_192
"""Articles of a window in which every pair is compared. In a larger one that would
take time by their square; the nearest of each are searched instead."""

_TOGETHER = 512
"""New articles whose pairs are held at once, so that memory is linear in the window."""

Spread: TypeAlias = Callable[
    [Callable[[Shard, Nearness], FoundPairs], Sequence[Shard], Nearness],
    Sequence[FoundPairs],
]
"""Runs a task on each shard against what all of them see; results in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairContext:
    """What pairs are scored with: the evidence, and what it reads of all articles."""

    evidence: Sequence[Evidence]
    """In the order in which log-odds are added."""
    idf: Vector
    vectors: Matrix | None
    """(rows, dim) unit vectors of all articles; None: meaning does not count."""
    lead: bool
    """Whether leads count."""
    gists: GistRows | None = None
    """The gists of all articles; None: they do not count."""
    names: KeyCounts | None = None
    """How common names are in the whole window; None: they do not count."""
    day: Vector
    """(rows,) when each was published."""
    length: Indices
    """(rows,) how many terms each has."""
    serial: Indices
    """(rows,) its place in the stream."""
    new: int
    """How many of the last rows are new articles."""
    columns: Mapping[str, Sequence[NDArray[Any]]] = field(default_factory=dict)
    """By the name of an evidence: its column of each article, row by row."""

    def pairs(
        self, newer: Indices, older: Indices, body: Vector, lead: Vector
    ) -> Pairs:
        """Return pairs of rows with their word cosines, as evidence reads them."""
        return Pairs(
            newer=newer,
            older=older,
            body=body,
            lead=lead if self.lead else None,
            vectors=self.vectors,
            gists=None if self.gists is None else self.gists.vectors,
            language=None if self.gists is None else self.gists.language,
            has_gist=None if self.gists is None else self.gists.there,
            names=self.names,
            length=self.length,
            columns=self.columns,
        )


def columns_of(
    evidence: Sequence[Evidence], rows: Sequence[LinkedArticle]
) -> dict[str, list[NDArray[Any]]]:
    """Return the columns of all evidence that keeps any; an article may lack one."""
    none = np.zeros(0)
    kept = {name for article in rows for name in article.columns}
    return {
        each.name: [article.columns.get(each.name, none) for article in rows]
        for each in evidence
        if each.name in kept
    }


def in_threads(
    task: Callable[[Shard, Nearness], FoundPairs],
    parts: Sequence[Shard],
    shared: Nearness,
) -> Sequence[FoundPairs]:
    """Run a task on each shard, in this process."""
    with ThreadPoolExecutor(thread_count()) as workers:
        return list(workers.map(lambda part: task(part, shared), parts))


def paired(
    rows: Sequence[LinkedArticle], context: PairContext, spread: Spread = in_threads
) -> Links:
    """Return the links of the new articles with all those before them."""
    if len(rows) > SMALL:
        return _nearest(rows, context, spread)
    links, new = [], context.new
    own = own_candidates(context.evidence, context.columns, len(rows), new)
    for start in range(len(rows) - new, len(rows), _TOGETHER):
        inside = rows[: start + _TOGETHER]
        places = np.arange(start, len(inside))
        found = candidates(inside, places, context.idf)
        pairs = _with_own(found, own, rows, (start, len(inside)), context)
        links.append(link_pairs(pairs, context))
    return Links.join(links)


def _nearest(
    rows: Sequence[LinkedArticle], context: PairContext, spread: Spread
) -> Links:
    """Return the links with the nearest articles of each new one."""
    new = context.new
    window = Nearness.of(rows, new, context.idf)
    own = own_candidates(context.evidence, context.columns, len(rows), new)
    blocks = shards(len(rows), new)
    links = []
    for block, part in zip(blocks, spread(search, blocks, window), strict=True):
        pairs = _with_own(part, own, rows, block, context)
        links.append(link_pairs(pairs, context))
    return Links.join(links)


def link_pairs(pairs: Pairs, context: PairContext) -> Links:
    """Return the links of new articles: their strongest pairs by all evidence.

    After each evidence, pairs are dropped that the rest cannot bring to the least
    log-odds any more.
    """
    rest = [each.most for each in context.evidence]
    weighed: dict[str, Vector] = {}
    total = np.zeros(len(pairs))
    for place, each in enumerate(context.evidence):
        odds = each.log_odds(pairs)
        total = total + odds
        hope = total >= MIN_LOG_ODDS - sum(rest[place + 1 :])
        pairs, total = pairs.only(hope), total[hope]
        weighed = {name: known[hope] for name, known in weighed.items()}
        weighed[each.name] = odds[hope]
    day, serial = context.day, context.serial
    links = Links(
        older=serial[pairs.older],
        newer=serial[pairs.newer],
        evidence=weighed,
        gap=np.abs(day[pairs.newer] - day[pairs.older]),
    )
    return links.only(strongest(pairs.newer, total, MAX_LINKS_PER_ARTICLE))


def _with_own(
    found: FoundPairs,
    own: Indices,
    rows: Sequence[LinkedArticle],
    block: Shard,
    context: PairContext,
) -> Pairs:
    """Return the candidates by words, and those of `own_candidates` in a block."""
    low, high = np.searchsorted(own, [block[0] * len(rows), block[1] * len(rows)])
    keys = own[low:high]
    if len(keys):
        keys = np.setdiff1d(keys, found.newer * len(rows) + found.older)
    if not len(keys):
        return context.pairs(found.newer, found.older, found.body, found.lead)
    newer, older = np.divmod(keys, len(rows))
    body = pair_cosines(body_rows(rows, context.idf), newer, older)
    lead = pair_cosines(lead_rows(rows, context.idf), newer, older)
    newer, older = np.append(found.newer, newer), np.append(found.older, older)
    order = np.lexsort((older, newer))
    both = np.append(found.body, body)[order], np.append(found.lead, lead)[order]
    return context.pairs(newer[order], older[order], *both)


def own_candidates(
    evidence: Sequence[Evidence],
    columns: Mapping[str, Sequence[NDArray[Any]]],
    rows: int,
    new: int,
) -> Indices:
    """Return the pairs that evidence proposes itself, as newer · rows + older.

    They are ascending, and each is there once. Of `rows` the last are `new`.
    """
    keys = [np.zeros(0, dtype=np.int64)]
    for each in evidence:
        found = each.candidates(columns.get(each.name, ()), new)
        if found is not None:
            newer, older = (np.asarray(side, dtype=np.int64) for side in found)
            fits = (older >= 0) & (older < newer) & (newer >= rows - new)
            fits &= newer < rows
            keys.append(newer[fits] * rows + older[fits])
    return np.unique(np.concatenate(keys))
