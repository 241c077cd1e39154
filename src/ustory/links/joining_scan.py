"""Compiled: groups are joined, the two that are most alike first."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.kernels import njit
from ustory.links.word_scan import added, product

# Arrays are typed where these are called: links/joining.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913, PLR0915, C901

_GONE = -1
"""Version of a group that is part of another."""

_FEWEST = 1e-9
"""Pairs that are none, but for rounding."""

_ALL = 1.0 - 1e-9
"""The share of pairs that is all of them, but for rounding."""


class Levels(NamedTuple):
    """What is asked of two groups: the constants of `links/joining.py`."""

    alike: float
    short_texts: float
    small_sample: float
    size: float
    few: int
    by_links: float
    links: float
    likeness: float
    habit: float
    least: float
    least_of_few: float
    unlinked: float
    enough: int
    nothing: float
    across: float


class Groups(NamedTuple):
    """What is known of each group by itself."""

    size: Indices
    home: Indices
    """The story that most of it stood in before, -1 for none."""
    counted: Vector
    """As how many articles it counts: an outlet is a few at most."""
    squares: Vector
    """The sum of the squares of what its articles count."""
    own: Vector
    """The product of its words with themselves."""
    said: Vector
    """How much the words of its articles say, in all."""
    by_language: Vector
    """As how many articles with a gist in each language it counts."""
    gist: Vector
    """The sum of the gists of its articles."""
    with_gist: Vector
    """As how many articles with a gist it counts."""
    gist_squares: Vector
    """The sum of the squares of what these count."""
    moves: Mask


class LinkedGroups(NamedTuple):
    """By group, the others that it has links with."""

    start: Indices
    other: Indices
    odds: Vector
    """The sum of the log-odds of these links."""
    links: Indices
    """Their number."""


@njit(cache=True, nogil=True)
def _mean(odds, links, small, large, levels):
    """Return the mean log-odds of pairs of articles, of which some have no link."""
    unlinked = max(small * min(large, levels.enough) - links, 0)
    return (odds + levels.unlinked * unlinked) / (links + unlinked)


@njit(cache=True, nogil=True)
def _by_words(one, other, groups):
    """Return how many pairs of two groups words compare: all but those across."""
    pairs = groups.counted[one] * groups.counted[other]
    pairs -= groups.with_gist[one] * groups.with_gist[other]
    for language in range(groups.by_language.shape[1]):
        pairs += groups.by_language[one, language] * groups.by_language[other, language]
    return pairs


@njit(cache=True, nogil=True)
def _inside(group, groups, levels):
    """Return the mean cosine of words inside a group, 0 if it has no pair for it."""
    squares = groups.squares[group]
    pairs = _by_words(group, group, groups) - squares
    if groups.size[group] == 1 or pairs < _FEWEST:
        return 0.0
    return max((groups.own[group] - squares) / pairs, levels.nothing)


@njit(cache=True, nogil=True)
def _gist_inside(group, groups, levels):
    """Return the mean cosine of gists inside a group, 0 if it has no pair for it."""
    squares = groups.gist_squares[group]
    pairs = groups.with_gist[group] ** 2 - squares
    if groups.size[group] == 1 or pairs < _FEWEST:
        return 0.0
    own = groups.gist[group] @ groups.gist[group]
    return max((own - squares) / pairs, levels.nothing)


@njit(cache=True, nogil=True)
def _over(between, one, other):
    """Return a cosine between two groups, over those inside them.

    Divided so, how alike all articles of a stream are falls out of it
    (Spearman 1904, correction for attenuation). Where there is none inside one of
    them, that of the other counts twice.
    """
    first = one if one > 0 else other
    last = other if other > 0 else one
    return between / np.sqrt(first * last) if first > 0 else between


@njit(cache=True, nogil=True)
def _share(one, other, between, groups, levels):
    """Return the mean cosine between two groups over that inside, and how comparable.

    Words are compared where pairs are in one language, which is said as a share of
    all pairs; for the rest gists speak.
    """
    pairs = groups.counted[one] * groups.counted[other]
    comparable = _by_words(one, other, groups)
    gists = groups.with_gist[one] * groups.with_gist[other]
    words = 0.0
    if comparable > _FEWEST:
        first, last = _inside(one, groups, levels), _inside(other, groups, levels)
        words = _over(between / comparable, first, last)
    if gists < _FEWEST or comparable >= pairs * _ALL:
        return words, 1.0
    near = (groups.gist[one] @ groups.gist[other]) / gists
    first = _gist_inside(one, groups, levels)
    last = _gist_inside(other, groups, levels)
    part = comparable / pairs
    return part * words + (1 - part) * _over(near, first, last), part


@njit(cache=True, nogil=True)
def _excess(one, other, odds, links, groups, words, levels):
    """Return how much more alike two groups are than is asked; -1 if links say no."""
    sizes = groups.size[one], groups.size[other]
    small, large = min(sizes), max(sizes)
    if large == 1 or not (groups.moves[one] or groups.moves[other]):
        return -1.0
    mean = _mean(odds, links, small, large, levels)
    habit = 0.0
    if groups.home[one] >= 0 and groups.home[other] >= 0:
        same = groups.home[one] == groups.home[other]
        habit = levels.habit if same else -levels.habit
    least = levels.least_of_few
    if small > levels.few:
        least = levels.least - 3 * max(habit, 0.0)
    if mean < least:
        return -1.0
    bonus = habit + levels.size * np.log(min(large, levels.enough))
    (terms, values), (terms2, values2) = words[one], words[other]
    between = product(terms, values, terms2, values2)
    share, comparable = _share(one, other, between, groups, levels)
    if small <= levels.few:
        asked = levels.likeness * share + levels.links * mean - levels.by_links
        return bonus + asked
    few = np.sqrt(1 / small + 1 / large)
    said = groups.said[one] + groups.said[other]
    said /= groups.counted[one] + groups.counted[other]
    found = share - levels.small_sample * few - levels.alike
    found += levels.across * (1 - comparable)
    return bonus + (found + levels.short_texts * (1 - said))


@njit(cache=True, nogil=True)
def _root(found, group):
    """Return the group that another is part of by now."""
    while found[group] != group:
        found[group] = found[found[group]]
        group = found[group]
    return group


@njit(cache=True, nogil=True)
def _merged(one, near, other, found, sums, number):
    """Return the neighbours of two groups that are one now.

    `sums` and `number` are all 0, and are left so.
    """
    many = len(near[one][0]) + len(near[other][0])
    ends = np.empty(many, dtype=np.int64)
    count = 0
    for group in (one, other):
        others, odds, links = near[group]
        for at in range(len(others)):
            end = _root(found, others[at])
            if end != one:
                if not number[end]:
                    ends[count] = end
                    count += 1
                sums[end] += odds[at]
                number[end] += links[at]
    ends = ends[:count]
    odds, links = sums[ends], number[ends]
    sums[ends] = 0.0
    number[ends] = 0
    return ends, odds, links


@njit(cache=True, nogil=True)
def join_groups(groups, linked, rows, levels):
    """Return for each group the first of those it is one with, maybe itself.

    The two that are most alike are joined first, then again as long as any two are
    alike enough. `rows` are the words of groups; `groups` is changed.
    """
    count = len(groups.size)
    found, version = np.arange(count), np.zeros(count, dtype=np.int64)
    sums, number = np.zeros(count), np.zeros(count, dtype=np.int64)
    near, words = [], []
    for one in range(count):
        part = slice(linked.start[one], linked.start[one + 1])
        near.append((linked.other[part], linked.odds[part], linked.links[part]))
        part = slice(rows.start[one], rows.start[one + 1])
        words.append((rows.terms[part], rows.values[part]))
    waiting = [(0.0, 0, 0, 0, 0) for _ in range(0)]
    for one in range(count):
        others, odds, links = near[one]
        for at in range(len(others)):
            if others[at] > one:
                other = others[at]
                more = _excess(one, other, odds[at], links[at], groups, words, levels)
                if more >= 0:
                    waiting.append((-more, one, other, 0, 0))
    heapify(waiting)
    while len(waiting):
        _, one, other, mine, theirs = heappop(waiting)
        if mine != version[one] or theirs != version[other]:
            continue  # one of the two has changed since
        found[other] = one
        (terms, values), (terms2, values2) = words[one], words[other]
        between = product(terms, values, terms2, values2)
        groups.own[one] += groups.own[other] + 2 * between
        words[one] = added(terms, values, terms2, values2)
        groups.size[one] += groups.size[other]
        groups.said[one] += groups.said[other]
        groups.counted[one] += groups.counted[other]
        groups.squares[one] += groups.squares[other]
        groups.by_language[one] += groups.by_language[other]
        groups.gist[one] += groups.gist[other]
        groups.with_gist[one] += groups.with_gist[other]
        groups.gist_squares[one] += groups.gist_squares[other]
        groups.moves[one] = True
        near[one] = _merged(one, near, other, found, sums, number)
        version[one] += 1
        version[other] = _GONE
        others, odds, links = near[one]
        for at in range(len(others)):
            end = others[at]
            more = _excess(one, end, odds[at], links[at], groups, words, levels)
            if more >= 0:
                low, high = min(one, end), max(one, end)
                heappush(waiting, (-more, low, high, version[low], version[high]))
    for group in range(count):
        found[group] = found[found[group]]  # those before it are settled
    return found
