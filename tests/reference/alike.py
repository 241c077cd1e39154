"""How alike two groups of articles are: by words in one language, by gists in two."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ustory.core.arrays import Vector
from ustory.links import joining

Pair = tuple[int, int]
Words = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Shown:
    """What is compared of an article when groups are."""

    words: Words
    lang: str
    gist: Vector
    """Of unit length, or zeros where it is no other than all of its language."""
    has_gist: bool

    def across(self, other: Shown) -> bool:
        """Say whether two have gists in two languages: then words do not count."""
        return self.has_gist and other.has_gist and self.lang != other.lang

    def word_cosine(self, other: Shown) -> float:
        """Return the cosine of the words of two."""
        return cosine(self.words, other.words)

    def gist_product(self, other: Shown) -> float:
        """Return the product of two gists, 0 where one is missing."""
        if not (self.has_gist and other.has_gist):
            return 0.0
        return float(self.gist @ other.gist)


def cosine(one: Words, other: Words) -> float:
    """Return the cosine of two weighted texts."""
    lengths = [math.sqrt(sum(w * w for w in each.values())) for each in (one, other)]
    if not all(lengths):
        return 0.0
    common = sum(one[term] * other[term] for term in one if term in other)
    return common / (lengths[0] * lengths[1])


def share(
    one: Sequence[int],
    other: Sequence[int],
    shown: Sequence[Shown],
    counts: Sequence[float],
) -> tuple[float, float]:
    """Return the likeness of two groups over that inside, and what words say of it.

    Each article counts by so much in it. Words speak for the share of pairs that is
    not across languages, gists for the rest.
    """
    between = [(a, b) for a in one for b in other]
    every = sum(counts[a] * counts[b] for a, b in between)
    by_words = [(a, b) for a, b in between if not shown[a].across(shown[b])]
    part = sum(counts[a] * counts[b] for a, b in by_words) / every
    words = ratio(one, other, shown, counts, Shown.word_cosine, _not_across)
    if part > 1 - 1e-9:
        return words, 1.0
    gists = ratio(one, other, shown, counts, Shown.gist_product, _both)
    return part * words + (1 - part) * gists, part


def _not_across(one: Shown, other: Shown) -> bool:
    return not one.across(other)


def _both(one: Shown, other: Shown) -> bool:
    return one.has_gist and other.has_gist


def ratio(
    one: Sequence[int],
    other: Sequence[int],
    shown: Sequence[Shown],
    counts: Sequence[float],
    product: Callable[[Shown, Shown], float],
    counting: Callable[[Shown, Shown], bool],
) -> float:
    """Return the mean product of two groups over those inside them.

    Products of all pairs are divided by the number of those that count. Where none
    count inside one group, the other's stands for it.
    """

    def mean(pairs: Iterable[Pair], more: float = 0.0) -> float | None:
        total, number = more, 0.0
        for a, b in pairs:
            total += product(shown[a], shown[b]) * counts[a] * counts[b]
            number += counts[a] * counts[b] * counting(shown[a], shown[b])
        return total / number if number > 1e-9 else None

    inside = []
    for group in (one, other):
        # an article without words is not like itself either
        empty = sum(
            counts[a] ** 2 * (1 - product(shown[a], shown[a]))
            for a in group
            if counting(shown[a], shown[a])
        )
        found = mean(combinations(group, 2), -empty / 2)
        if found is not None:
            inside.append(max(found, joining.NOTHING))
    between = mean((a, b) for a in one for b in other) or 0.0
    return between / math.sqrt(inside[0] * inside[-1]) if inside else between
