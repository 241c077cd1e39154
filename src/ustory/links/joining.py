"""Groups that are one story: as alike between each other as each is in itself.

Communities are relative: a large story is divided wherever links are a little denser.
Whether a division is one of the story or one of the graph, the words of both sides say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Vector
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

_NOTHING = 1e-3
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


def with_joined(
    found: Sequence[Indices], standing: Indices, evidence: GroupEvidence
) -> list[Indices]:
    """Return groups with those joined that are one story, in order of their first.

    `standing` is the story that each article is in so far, -1 for none.
    """
    group = np.empty(len(standing), dtype=np.int64)
    for number, rows in enumerate(found):
        group[rows] = number
    first = joined(group, homes(found, standing), evidence)
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


def joined(group: Indices, home: Indices, evidence: GroupEvidence) -> Indices:
    """Return for each group the first of those it is one with, maybe itself.

    `group` is that of each article, from 0 on; -1 of one that has none. `home` is the
    story that most of each group stood in before, -1 for none. The two groups that are
    most alike are joined first, then again as long as any two are alike enough.
    """
    found = np.arange(len(home), dtype=np.int64)
    table = _GroupTable(group, home, evidence)
    likeness = dict(table.likenesses(table.linked()))
    while likeness:
        one, other = min(likeness, key=lambda pair: (-likeness[pair], pair))
        found[found == other] = one
        table.merge(one, other)
        likeness = {
            pair: each
            for pair, each in likeness.items()
            if one not in pair and other not in pair
        }
        near = [(min(one, each), max(one, each)) for each in sorted(table.near[one])]
        likeness |= dict(table.likenesses(near))
    return found


class _GroupTable:
    """Sizes, words and links of groups, which are merged one into another."""

    def __init__(self, group: Indices, home: Indices, evidence: GroupEvidence) -> None:
        count = len(home)
        inside = group >= 0
        self.size: list[int] = np.bincount(group[inside], minlength=count).tolist()
        self.home: list[int] = home.tolist()
        self._words = _sums(group, count, evidence.words)
        said = np.bincount(group[inside], evidence.reliability[inside], count)
        self._said: list[float] = said.tolist()
        self._own = [_product(row, row) for row in self._words]
        self._links: dict[tuple[int, int], tuple[float, int]] = {}
        self.near: list[set[int]] = [set() for _ in range(count)]
        one, other = (group[rows] for rows in evidence.pairs)
        across = (one != other) & (one >= 0) & (other >= 0)
        key = (np.minimum(one, other) * count + np.maximum(one, other))[across]
        odds = np.clip(evidence.odds[across], QUIETEST, LOUDEST)
        keys, place, links = np.unique(key, return_inverse=True, return_counts=True)
        sums = np.bincount(place, odds, minlength=len(keys))
        for each, total, number in zip(
            keys.tolist(), sums.tolist(), links.tolist(), strict=True
        ):
            first, second = divmod(each, count)
            self._links[first, second] = total, number
            self.near[first].add(second)
            self.near[second].add(first)

    def linked(self) -> list[tuple[int, int]]:
        """Return the pairs of groups that have a link."""
        return list(self._links)

    def likenesses(
        self, pairs: list[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield the pairs that are alike enough to be one, and by how much."""
        for one, other in pairs:
            small, large = sorted((self.size[one], self.size[other]))
            if large == 1:
                continue
            home, habit = (self.home[one], self.home[other]), 0.0
            if min(home) >= 0:
                habit = HABIT if home[0] == home[1] else -HABIT
            mean = self._mean(one, other)
            least = LEAST - 3 * max(habit, 0.0) if small > FEW else LEAST_OF_FEW
            if mean < least:
                continue
            excess = habit + SIZE * math.log(min(large, ENOUGH))
            if small > FEW:
                few = math.sqrt(1 / small + 1 / large)
                excess += self._share(one, other) - SMALL_SAMPLE * few
                excess -= ALIKE - SHORT_TEXTS * (1 - self._reliability(one, other))
            else:
                excess += LIKENESS * self._share(one, other) + LINKS * mean - BY_LINKS
            if excess >= 0:
                yield (one, other), excess

    def merge(self, one: int, other: int) -> None:
        """Put a group into another; its story stays that of the other."""
        between = _product(self._words[one], self._words[other])
        self._own[one] += self._own[other] + 2 * between
        self._words[one] = _added(self._words[one], self._words[other])
        self.size[one] += self.size[other]
        self._said[one] += self._said[other]
        del self._links[min(one, other), max(one, other)]
        self.near[one].discard(other)
        self.near[other].discard(one)
        for each in sorted(self.near[other]):
            old = self._links.pop((min(other, each), max(other, each)))
            key = min(one, each), max(one, each)
            total, number = self._links.get(key, (0.0, 0))
            self._links[key] = total + old[0], number + old[1]
            self.near[each].discard(other)
            self.near[each].add(one)
            self.near[one].add(each)

    def _mean(self, one: int, other: int) -> float:
        """Return the mean log-odds of the pairs between two groups."""
        small, large = sorted((self.size[one], self.size[other]))
        total, number = self._links[one, other]
        unlinked = max(small * min(large, ENOUGH) - number, 0)
        return float(total + UNLINKED * unlinked) / (number + unlinked)

    def _reliability(self, one: int, other: int) -> float:
        """Return how much the words of the articles of two groups say, on average."""
        articles = self.size[one] + self.size[other]
        return (self._said[one] + self._said[other]) / articles

    def _share(self, one: int, other: int) -> float:
        """Return the mean cosine between two groups, over that inside them.

        Divided so, how alike all articles of a stream are falls out of it
        (Spearman 1904, correction for attenuation).
        """
        between = _product(self._words[one], self._words[other])
        between /= self.size[one] * self.size[other]
        inside = [self._inside(each) for each in (one, other) if self.size[each] > 1]
        return between / math.sqrt(inside[0] * inside[-1])

    def _inside(self, one: int) -> float:
        """Return the mean cosine of the pairs inside a group."""
        size = self.size[one]
        return max((self._own[one] - size) / (size * (size - 1)), _NOTHING)


_Row = tuple[Indices, Vector]
"""Terms, ascending, and their weights."""


def _sums(group: Indices, count: int, words: Rows) -> list[_Row]:
    """Return the sum of the rows of each group."""
    terms = int(words.terms.max(initial=-1)) + 1
    rows = sparse.csr_array(
        (words.values.astype(np.float64), words.terms, words.start),
        shape=(len(group), terms),
    )
    inside = np.flatnonzero(group >= 0)
    member = sparse.csr_array(
        (np.ones(len(inside)), (group[inside], inside)), shape=(count, len(group))
    )
    sums = sparse.csr_array(member @ rows)
    sums.sort_indices()
    start = sums.indptr.tolist()
    return [
        (sums.indices[start[i] : start[i + 1]], sums.data[start[i] : start[i + 1]])
        for i in range(count)
    ]


def _product(one: _Row, other: _Row) -> float:
    _, here, there = np.intersect1d(
        one[0], other[0], assume_unique=True, return_indices=True
    )
    return float(one[1][here] @ other[1][there])


def _added(one: _Row, other: _Row) -> _Row:
    terms, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    weights = np.concatenate([one[1], other[1]])
    return terms, np.bincount(place, weights, len(terms)).astype(np.float64)
