"""Groups that a few articles hold together are told apart by the words of the others.

In a large graph modularity joins two dense groups as soon as a few links lead from one
to the other (Fortunato & Barthélemy 2007): a handful of articles that are made of two
stories join them. Looked at by itself such a group falls apart clearly, and the words
of its parts, in which one outlet counts as a few articles, say that they are two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.links.groups import graph_of
from ustory.links.joining import NOTHING, GroupEvidence, by_language, gist_sums
from ustory.links.louvain import communities, modularity
from ustory.links.outlets import shares
from ustory.links.word_scan import Rows

LARGE = 10
"""Articles from which a group is looked at by itself."""

CLEAR = 0.2
"""Modularity from which a group falls apart clearly: parts of one story have less."""

UNLIKE = 0.5
"""Parts whose likeness is less than that share of the likeness inside them are two."""

PART = 5
"""Articles that a part has at least: fewer go with what they are most like."""

_FEWEST = 1e-9
"""Pairs that are none, but for rounding."""

Table = NDArray[np.float64]


def told_apart(
    found: Sequence[Indices],
    pairs: tuple[Indices, Indices],
    weight: Vector,
    evidence: GroupEvidence,
    touched: Mask | None = None,
) -> list[Indices]:
    """Return groups with those divided that are two by links and by words.

    `pairs` are rows of linked articles and `weight` how strongly. Groups of articles
    that are not `touched`, if it is given, stay as they are.
    """
    large = [
        number
        for number, rows in enumerate(found)
        if len(rows) >= LARGE and (touched is None or touched[rows[0]])
    ]
    if not large:
        return list(found)
    parts = {number: [rows] for number, rows in enumerate(found)}
    edges = _edges_inside([found[number] for number in large], pairs, weight)
    for number, (ends, strength) in zip(large, edges, strict=True):
        rows = found[number]
        label = _clear_parts(len(rows), ends, strength)
        if label is None:
            continue
        label = _by_words(label, rows, evidence)
        parts[number] = [rows[label == each] for each in np.unique(label)]
    whole = [rows for number in range(len(found)) for rows in parts[number]]
    return sorted(whole, key=lambda rows: int(rows[0]))


def _edges_inside(
    groups: Sequence[Indices], pairs: tuple[Indices, Indices], weight: Vector
) -> list[tuple[tuple[Indices, Indices], Vector]]:
    """Return the links inside each group, between places in it."""
    last = max(int(rows[-1]) for rows in groups)
    top = max(last, *(int(ends.max(initial=-1)) for ends in pairs)) + 1
    group = np.full(top, -1, dtype=np.int64)
    place = np.zeros(top, dtype=np.int64)
    for number, rows in enumerate(groups):
        group[rows] = number
        place[rows] = np.arange(len(rows))
    one, other = pairs
    inside = np.flatnonzero((group[one] == group[other]) & (group[one] >= 0))
    inside = inside[np.argsort(group[one[inside]], kind="stable")]
    ends = np.searchsorted(group[one[inside]], np.arange(len(groups) + 1))
    return [
        ((place[one[here]], place[other[here]]), weight[here])
        for here in (inside[a:b] for a, b in pairwise(ends.tolist()))
    ]


def _clear_parts(
    articles: int, ends: tuple[Indices, Indices], weight: Vector
) -> Indices | None:
    """Return the communities of a group by itself, None if they are not clear."""
    if not len(weight):
        return None
    graph = graph_of(articles, ends, weight)
    edges = graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data
    label = communities(*edges)
    return label if modularity(*edges, label) >= CLEAR else None


def _products(part: Indices, counts: Vector, rows: Indices, words: Rows) -> Table:
    """Return the products of the parts' sums of words, each article by its count."""
    spans = [(int(words.start[row]), int(words.start[row + 1])) for row in rows]
    long = np.array([b - a for a, b in spans])
    terms = np.concatenate([words.terms[a:b] for a, b in spans])
    values = np.concatenate([words.values[a:b] for a, b in spans])
    # most terms are in few parts: a full table would not fit into memory
    place = np.repeat(part, long), terms
    shape = int(part.max()) + 1, int(terms.max(initial=0)) + 1
    weighted = values * np.repeat(counts, long)
    sums = sparse.csr_array((weighted, place), shape=shape)
    return np.asarray((sums @ sums.T).toarray(), dtype=np.float64)


@dataclass(slots=True)
class _Parts:
    """The parts of a group, as sums over their articles. Mutable: parts are joined."""

    size: Indices
    counted: Vector
    """As how many articles each counts."""
    squares: Vector
    """The sum of the squares of what its articles count."""
    words: Table
    """Products of their words."""
    comparable: Table
    """Pairs that words compare: all but those across languages."""
    gists: Table
    """Products of their gists."""
    with_gist: Vector
    gist_squares: Vector

    @classmethod
    def of(cls, part: Indices, rows: Indices, evidence: GroupEvidence) -> _Parts:
        """Return the parts of the articles in some rows, by the part of each."""
        counts = shares(np.zeros(len(part), dtype=np.int64), evidence.outlet[rows])
        many = int(part.max()) + 1
        gists = None if evidence.gists is None else evidence.gists.only(rows)
        languages = by_language(part, many, counts, gists)
        sums, with_gist, gist_squares = gist_sums(part, many, counts, gists)
        counted = np.bincount(part, counts, many).astype(np.float64)
        unlike = np.outer(with_gist, with_gist) - languages @ languages.T
        return cls(
            np.bincount(part, minlength=many),
            counted,
            np.bincount(part, counts * counts, many).astype(np.float64),
            _products(part, counts, rows, evidence.words),
            np.outer(counted, counted) - unlike,
            sums @ sums.T,
            with_gist,
            gist_squares,
        )

    def join(self, one: int, other: int) -> None:
        """Make two parts one, under the number of the first."""
        for table in (self.words, self.comparable, self.gists):
            table[one] += table[other]
            table[:, one] += table[:, other]
        for each in (
            self.size,
            self.counted,
            self.squares,
            self.with_gist,
            self.gist_squares,
        ):
            each[one] += each[other]

    def alike(self, here: Indices) -> Table:
        """Return the likeness of some parts; of one with itself it is -inf.

        It is that of words, where pairs are in one language, and of gists in two.
        """
        many = self.size[here] > 1
        pairs = self.comparable[np.ix_(here, here)]
        words = _over(self.words[np.ix_(here, here)], pairs, self.squares[here], many)
        total = np.outer(self.counted[here], self.counted[here])
        gists = np.outer(self.with_gist[here], self.with_gist[here])
        inside = self.gist_squares[here]
        near = _over(self.gists[np.ix_(here, here)], gists, inside, many)
        part = np.where(gists > _FEWEST, pairs / total, 1.0)
        found = part * words + (1 - part) * near
        np.fill_diagonal(found, -np.inf)
        return np.asarray(found)


def _by_words(label: Indices, rows: Indices, evidence: GroupEvidence) -> Indices:
    """Return the label of each article once no two parts are alike."""
    _, part = np.unique(label, return_inverse=True)
    found = part.astype(np.int64)
    parts = _Parts.of(found, rows, evidence)
    left = list(range(len(parts.size)))
    while len(left) > 1:
        here = np.array(left)
        alike = parts.alike(here)
        least = int(np.argmin(parts.size[here]))
        if alike.max() < UNLIKE and parts.size[here[least]] >= PART:
            break
        one, other = divmod(int(np.argmax(alike)), len(here))
        if alike[one, other] < UNLIKE:
            one, other = least, int(np.argmax(alike[least]))
        a, b = sorted((int(here[one]), int(here[other])))
        parts.join(a, b)
        found[found == b] = a
        left.remove(b)
    return found


def _over(product: Table, pairs: Table, squares: Vector, many: Mask) -> Table:
    """Return mean cosines between parts, over those inside them.

    Where there is none inside one of two, that of the other counts twice.
    """
    own = np.diagonal(product) - squares
    inner = np.diagonal(pairs) - squares
    there = many & (inner > _FEWEST)
    inside = np.where(there, own / np.where(there, inner, 1.0), 0.0)
    inside = np.where(there, np.maximum(inside, NOTHING), 0.0)
    both = inside[:, None] * inside[None, :]
    single = np.maximum(inside[:, None], inside[None, :]) ** 2
    scale = np.where(both > 0, both, np.where(single > 0, single, 1.0))
    between = product / np.where(pairs > _FEWEST, pairs, 1.0)
    return np.asarray(np.where(pairs > _FEWEST, between / np.sqrt(scale), 0.0))
