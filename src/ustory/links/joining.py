"""Groups that are one story: as alike between each other as each is in itself.

Communities are relative: a large story is divided wherever links are a little denser.
Whether a division is one of the story or one of the graph, the words of both sides say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TypeVar

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.links.outlets import shares
from ustory.links.word_scan import Rows

ALIKE = 0.87
"""Likeness of two groups of long texts, as a share of the likeness inside them, from
which they are one, were it not for their size."""

SHORT_TEXTS = 0.25
"""How much less is asked of texts of a word or two: their likeness is mostly accident,
inside a group as well, so a share of it that is left says more."""

SMALL_SAMPLE = 0.2
"""What is asked of small groups beyond that, times √(1/a + 1/b): few pairs say less."""

SIZE = 0.11
"""How much less is asked for each e-fold in size of the larger group: a story is the
likelier to have brought one more article, the more it has brought so far."""

FEW = 2
"""Articles of a group up to which links decide, not likeness."""

BY_LINKS = 0.19
"""What is asked of a group of so few."""

LINKS = 0.09
"""What a unit of the mean log-odds of its links with the other is worth there."""

LIKENESS = 0.15
"""What a unit of likeness is worth there."""

HABIT = 0.1
"""How much less is asked of groups that were one story before, and more of others."""

LEAST = -2.8
"""Mean log-odds of the pairs between two groups from which they may be one."""

LEAST_OF_FEW = -2.6
"""The same where one of them has but few articles."""

UNLINKED = -3.0
"""Log-odds of a pair of articles that has no link."""

LOUDEST = 4.0
QUIETEST = -6.0
"""What one link counts at most and at least: no single pair joins two groups."""

ENOUGH = 30
"""Articles of a large group that one article is compared with: it has few links."""

_GONE = -1
"""Version of a group that is part of another."""

NOTHING = 1e-3
"""Least likeness inside a group, so that shares stay finite."""


@dataclass(frozen=True, slots=True)
class GroupEvidence:
    """What is known of the pairs of a window's articles."""

    pairs: tuple[Indices, Indices]
    """Rows of linked articles."""
    odds: Vector
    """Log-odds of each link."""
    words: Rows
    """The weighted words of each article, of unit length."""
    reliability: Vector
    """How much the words of each article say."""
    outlet: Indices
    """The number of each article's outlet."""


def with_joined(
    found: Sequence[Indices],
    standing: Indices,
    evidence: GroupEvidence,
    touched: Mask | None = None,
) -> list[Indices]:
    """Return groups with those joined that are one story, in order of their first.

    `standing` is the story that each article is in so far, -1 for none. Two groups
    of articles that are not `touched`, if it is given, stay two.
    """
    group = np.empty(len(standing), dtype=np.int64)
    for number, rows in enumerate(found):
        group[rows] = number
    moves = [touched is None or bool(touched[rows[0]]) for rows in found]
    first = joined(group, homes(found, standing), evidence, np.array(moves, dtype=bool))
    whole = [
        np.sort(np.concatenate([found[i] for i in np.flatnonzero(first == n).tolist()]))
        for n in np.unique(first)
    ]
    return sorted(whole, key=lambda rows: int(rows[0]))


def homes(found: Sequence[Indices], standing: Indices) -> Indices:
    """Return the story that most of each group stood in, -1 for none."""
    home = []
    for rows in found:
        stood = Counter(each for each in standing[rows].tolist() if each >= 0)
        home.append(min(stood, key=lambda each: (-stood[each], each), default=-1))
    return np.array(home, dtype=np.int64)


def joined(
    group: Indices,
    home: Indices,
    evidence: GroupEvidence,
    moves: Mask | None = None,
) -> Indices:
    """Return for each group the first of those it is one with, maybe itself.

    `group` is that of each article, from 0 on; -1 of one that has none. `home` is the
    story that most of each group stood in before, -1 for none. The two groups that are
    most alike are joined first, then again as long as any two are alike enough. Of two,
    one at least must be among those that have `moves`; without them, all have.
    """
    found = np.arange(len(home), dtype=np.int64)
    free = np.ones(len(home), dtype=bool) if moves is None else moves.copy()
    table = _GroupTable(group, home, evidence, free)
    waiting = [
        (-each, pair, (0, 0))
        for one in table.of_more_than_one()
        for pair, each in table.excesses(one)
    ]
    heapify(waiting)
    version = [0] * len(home)
    while waiting:
        _, (one, other), versions = heappop(waiting)
        if versions != (version[one], version[other]):
            continue  # one of the two has changed since
        found[found == other] = one
        table.merge(one, other)
        version[one] += 1
        version[other] = _GONE
        for pair, each in table.excesses(one):
            now = version[pair[0]], version[pair[1]]
            heappush(waiting, (-each, pair, now))
    return found


_Number = TypeVar("_Number", int, float)

_Pair = tuple[int, int]
"""Two groups, the one with the lower number first."""


def _pair(one: int, other: int) -> _Pair:
    return (one, other) if one < other else (other, one)


class _GroupTable:
    """Sizes, words and links of groups, which are merged one into another.

    Words are summed by how much each article counts in the group that was found.
    """

    def __init__(
        self, group: Indices, home: Indices, evidence: GroupEvidence, moves: Mask
    ) -> None:
        count = len(home)
        self._moves = moves
        inside = group >= 0
        self._size = np.bincount(group[inside], minlength=count)
        self._home = home
        weight = shares(group, evidence.outlet)
        self._words = _sums(group, count, evidence.words, weight)
        here, counted = group[inside], weight[inside]
        self._counted = np.bincount(here, counted, count)
        self._squares = np.bincount(here, counted * counted, count)
        self._said = np.bincount(here, counted * evidence.reliability[inside], count)
        self._own = [float(weights @ weights) for _, weights in self._words]
        self._odds: list[dict[int, float]] = [{} for _ in range(count)]
        """By group: the others that it has links with, and the sum of these."""
        self._links: list[dict[int, int]] = [{} for _ in range(count)]
        """By group: the others that it has links with, and their number."""
        one, other = (group[rows] for rows in evidence.pairs)
        across = (one != other) & (one >= 0) & (other >= 0)
        key = (np.minimum(one, other) * count + np.maximum(one, other))[across]
        odds = np.clip(evidence.odds[across], QUIETEST, LOUDEST)
        keys, place, links = np.unique(key, return_inverse=True, return_counts=True)
        sums = np.bincount(place, odds, minlength=len(keys))
        ends = np.divmod(keys, count) if count else (keys, keys)
        for first, second, total, number in zip(
            *(each.tolist() for each in (*ends, sums, links)), strict=True
        ):
            self._odds[first][second] = self._odds[second][first] = total
            self._links[first][second] = self._links[second][first] = number

    def of_more_than_one(self) -> Iterable[int]:
        """Return the groups of two articles or more."""
        return np.flatnonzero(self._size > 1).tolist()

    def excesses(self, one: int) -> Iterator[tuple[_Pair, float]]:
        """Yield the groups that are alike enough to be one with it, and by how much."""
        if not self._links[one]:
            return
        near = len(self._links[one])
        others = np.fromiter(self._links[one].keys(), np.int64, near)
        number = np.fromiter(self._links[one].values(), np.int64, near)
        total = np.fromiter(self._odds[one].values(), np.float64, near)
        size, sizes = self._size[one], self._size[others]
        small, large = np.minimum(size, sizes), np.maximum(size, sizes)
        mean = _mean(total, number, small * np.minimum(large, ENOUGH))
        both = (self._home[one] >= 0) & (self._home[others] >= 0)
        habit = np.where(self._home[others] == self._home[one], HABIT, -HABIT) * both
        least = np.where(small > FEW, LEAST - 3 * np.maximum(habit, 0.0), LEAST_OF_FEW)
        moves = self._moves[one] | self._moves[others]
        hope = np.flatnonzero((large > 1) & (mean >= least) & moves)
        bonus = habit[hope] + SIZE * np.log(np.minimum(large[hope], ENOUGH))
        for other, each, extra in zip(
            others[hope].tolist(), mean[hope].tolist(), bonus.tolist(), strict=True
        ):
            found = extra + self._likeness(one, other, each)
            if found >= 0:
                yield _pair(one, other), found

    def merge(self, one: int, other: int) -> None:
        """Put a group into another; its story stays that of the other."""
        between = _product(self._words[one], self._words[other])
        self._own[one] += self._own[other] + 2 * between
        self._words[one] = _added(self._words[one], self._words[other])
        for each in (self._size, self._counted, self._squares, self._said):
            each[one] += each[other]
        self._moves[one] = True
        _fold(self._odds, one, other)
        _fold(self._links, one, other)

    def _likeness(self, one: int, other: int, mean: float) -> float:
        """Return how much more alike two groups are than is asked of their kind."""
        small, large = sorted((int(self._size[one]), int(self._size[other])))
        share = self._share(one, other)
        if small <= FEW:
            return LIKENESS * share + LINKS * mean - BY_LINKS
        few = math.sqrt(1 / small + 1 / large)
        said = float(self._said[one] + self._said[other])
        said /= float(self._counted[one] + self._counted[other])
        return share - SMALL_SAMPLE * few - ALIKE + SHORT_TEXTS * (1 - said)

    def _share(self, one: int, other: int) -> float:
        """Return the mean cosine between two groups, over that inside them.

        Divided so, how alike all articles of a stream are falls out of it
        (Spearman 1904, correction for attenuation).
        """
        between = _product(self._words[one], self._words[other])
        between /= float(self._counted[one] * self._counted[other])
        inside = [self._inside(each) for each in (one, other) if self._size[each] > 1]
        return between / math.sqrt(inside[0] * inside[-1])

    def _inside(self, one: int) -> float:
        """Return the mean cosine of the pairs inside a group."""
        squares = float(self._squares[one])
        pairs = float(self._counted[one]) ** 2 - squares
        return max((self._own[one] - squares) / pairs, NOTHING)


def _mean(total: Vector, number: Indices, pairs: Indices) -> Vector:
    """Return the mean log-odds of pairs of articles, of which some have no link."""
    unlinked = np.maximum(pairs - number, 0)
    return np.asarray((total + UNLINKED * unlinked) / (number + unlinked))


def _fold(known: list[dict[int, _Number]], one: int, other: int) -> None:
    """Add what is known of a group and its neighbours to that of another."""
    mine, theirs = known[one], known[other]
    del mine[other], theirs[one]
    for each, value in theirs.items():
        row = known[each]
        del row[other]
        mine[each] = row[one] = mine.get(each, 0) + value
    known[other] = {}


_Row = tuple[Indices, Vector]
"""Terms, ascending, and their weights."""


def _sums(group: Indices, count: int, words: Rows, weight: Vector) -> list[_Row]:
    """Return the weighted sum of the rows of each group."""
    terms = int(words.terms.max(initial=-1)) + 1
    rows = sparse.csr_array(
        (words.values.astype(np.float64), words.terms, words.start),
        shape=(len(group), terms),
    )
    inside = np.flatnonzero(group >= 0)
    member = sparse.csr_array(
        (weight[inside], (group[inside], inside)), shape=(count, len(group))
    )
    sums = sparse.csr_array(member @ rows)
    sums.sort_indices()
    start = sums.indptr.tolist()
    return [
        (sums.indices[start[i] : start[i + 1]], sums.data[start[i] : start[i + 1]])
        for i in range(count)
    ]


def _product(one: _Row, other: _Row) -> float:
    short, long = sorted((one, other), key=lambda row: len(row[0]))
    place = np.searchsorted(long[0], short[0])
    place[place == len(long[0])] = 0
    same = long[0][place] == short[0] if len(long[0]) else place < 0
    return float(short[1][same] @ long[1][place[same]])


def _added(one: _Row, other: _Row) -> _Row:
    terms, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    weights = np.concatenate([one[1], other[1]])
    return terms, np.bincount(place, weights, len(terms)).astype(np.float64)
