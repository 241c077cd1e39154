"""The hot loop of assignment, compiled: an article against all stories at once."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.kernels import njit
from ustory.paper.assignment.similarity_scan import sum_keywords

# Arrays are typed where these are called: paper/assignment/assign.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, C901, PLR0915


_LN2 = math.log(2)


class ThemeTable(NamedTuple):
    """The themes of all stories by keyword, as the loop reads them."""

    use_start: Indices
    """(keywords + 1,) where the uses of each keyword begin in `cells`."""
    cells: Indices
    """(uses,) places in the flattened themes."""
    weight: Vector
    share: Vector
    """P(k | C, K_C) of each place."""
    entropy: Vector
    """share · log2 share of each place."""
    alone: Vector
    """Closeness of an article that has this keyword only, by place."""
    log2: Vector
    """log2 of small numbers."""
    stories: int
    width: int
    """Keywords of a theme at most."""


class StoryRows(NamedTuple):
    """E_C|a of the stories, and where the rows of each article's pane begin."""

    rows: Matrix
    first_row: Indices


class ComparisonRules(NamedTuple):
    """How articles and stories are compared."""

    temperature: float
    divergence: int
    """0: Jensen-Shannon, 1 and 2: its root in base 2 and in base e.

    3: Kullback-Leibler, 4: earth mover.
    """
    most: int
    """Stories that an article is compared with in full."""
    sample: int
    """Other stories that stand for all the rest."""
    tie: float


class VerdictColumns(NamedTuple):
    """What is written of each article."""

    best: Indices
    second: Indices
    figures: NDArray[np.float64]
    """Cosine, closeness and similarity of the best, similarity of the second, and
    Σ e^(T·sim) − |C|."""


class _Sums(NamedTuple):
    """Sentence sums of one article's keywords, and working memory."""

    room: Matrix
    norms: Matrix
    ours: Matrix


@njit(cache=True, nogil=True)
def compare_articles(buffers, keywords, themes, seen, how, out):
    """Write each article's best two stories, and the figures of its verdict.

    The arguments are `Keywords`, `ThemeTable`, `StoryRows`, `ComparisonRules` and
    `VerdictColumns`. An article with more candidates than `how.most` is compared only
    with those that share most of their themes with it, and with a sample that
    stands for the others.
    """
    # fields are read once: in a loop each read would count references to the array
    start, numbers, tf = keywords.start, keywords.number, keywords.tf
    use_start, cells, share = themes.use_start, themes.cells, themes.share
    weight, rows, first_row = themes.weight, seen.rows, seen.first_row
    width, stories, dim = themes.width, themes.stories, rows.shape[1]
    room = np.empty((max(np.max(np.diff(start)), 1), dim), dtype=np.float32)
    norms = np.empty(len(room), dtype=np.float32)
    sums = _Sums(room, norms, np.empty(dim, dtype=np.float32))
    count = np.zeros(stories, dtype=np.int32)
    mass = np.zeros(stories)
    hits = np.empty((3, stories * width), dtype=np.int32)
    mates = np.empty(stories, dtype=np.int32)
    similar = np.empty((3, stories))
    for article in range(len(buffers)):
        base, end = start[article], start[article + 1]
        sum_keywords(buffers[article], keywords, article, room)
        for i in range(base, end):
            norms[i - base] = _norm(room, i - base)
            for use in range(use_start[numbers[i]], use_start[numbers[i] + 1]):
                story = cells[use] // width
                at = story * width + count[story]
                hits[0, at], hits[1, at], hits[2, at] = i - base, cells[use], tf[i]
                count[story] += 1
                mass[story] += share[cells[use]]
        near, found, stands_for = _choose(count, mass, mates, how.most, how.sample)
        excess = 0.0
        for i in range(found):
            story = mates[i]
            first = story * width
            last = first + count[story]
            row = rows[first_row[article] + story]
            cosine = _cosine(hits, first, last, sums, weight, row)
            similar[0, i] = max(cosine, 0.0)
            similar[1, i] = _closeness(hits, first, last, themes, how.divergence)
            similar[2, i] = similar[0, i] * similar[1, i]
            more = np.exp(how.temperature * similar[2, i]) - 1.0
            excess += more if i < near else more * stands_for
        _write(article, mates[:found], similar, excess, how.tie, out)
        count[:] = 0
        mass[:] = 0.0


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _norm(rows, row):
    square = np.float32(0.0)
    for d in range(rows.shape[1]):
        square += rows[row, d] * rows[row, d]
    return np.sqrt(square)


@njit(cache=True, nogil=True)
def _choose(count, mass, mates, most, sample):
    """Write the stories to compare with to `mates`.

    Returns how many are compared in full, how many in all, and how many stories
    each of the sample stands for.
    """
    found = 0
    for story in range(len(count)):
        if count[story] > 0:
            mates[found] = story
            found += 1
    if found <= most + sample:
        return found, found, 1.0
    kept = np.empty(most, dtype=np.int32)
    held = 0
    for i in range(found):
        story = mates[i]
        if held == most and mass[story] <= mass[kept[most - 1]]:
            continue
        at = min(held, most - 1)
        while at > 0 and mass[kept[at - 1]] < mass[story]:
            kept[at] = kept[at - 1]
            at -= 1
        kept[at] = story
        held = min(held + 1, most)
    for i in range(most):
        mass[kept[i]] = -1.0  # taken
    rest = found - most
    kept.sort()
    others = 0
    drawn = np.empty(sample, dtype=np.int32)
    passed = 0
    for i in range(found):
        if mass[mates[i]] < 0.0:
            continue
        if others < sample and passed == (2 * others + 1) * rest // (2 * sample):
            drawn[others] = mates[i]
            others += 1
        passed += 1
    mates[:most] = kept
    mates[most : most + sample] = drawn
    return most, most + sample, rest / sample


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _cosine(hits, first, last, sums, weight, row):
    """Return cos(E_a|C, E_C|a) of one pair; the row has unit length.

    Nearly all pairs have three hits at most, whose sums need no memory.
    """
    room, norms, ours = sums.room, sums.norms, sums.ours
    dim = len(row)
    product = np.float32(0.0)
    square = np.float32(0.0)
    a = hits[0, first]
    if last - first == 1:
        for d in range(dim):
            product += room[a, d] * row[d]
        return product / norms[a] if norms[a] > 0.0 else 0.0
    b = hits[0, first + 1]
    u = np.float32(weight[hits[1, first]])
    v = np.float32(weight[hits[1, first + 1]])
    if last - first == 2:
        for d in range(dim):
            one = u * room[a, d] + v * room[b, d]
            product += one * row[d]
            square += one * one
        return product / np.sqrt(square) if square > 0.0 else 0.0
    c = hits[0, first + 2]
    w = np.float32(weight[hits[1, first + 2]])
    if last - first == 3:
        for d in range(dim):
            one = u * room[a, d] + v * room[b, d] + w * room[c, d]
            product += one * row[d]
            square += one * one
        return product / np.sqrt(square) if square > 0.0 else 0.0
    for d in range(dim):
        ours[d] = u * room[a, d] + v * room[b, d] + w * room[c, d]
    for hit in range(first + 3, last):
        a = hits[0, hit]
        u = np.float32(weight[hits[1, hit]])
        for d in range(dim):
            ours[d] += u * room[a, d]
    for d in range(dim):
        product += ours[d] * row[d]
        square += ours[d] * ours[d]
    return product / np.sqrt(square) if square > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _closeness(hits, first, last, themes, kind):
    """Return how close the keyword distributions are (Eq. 4).

    `kind` is `ComparisonRules.divergence`. Of p·log2 p + q·log2 q − (p + q)·log2 m only
    the last term is not known beforehand.
    """
    if last - first == 1:
        return themes.alone[hits[1, first]]
    share, entropy, log2 = themes.share, themes.entropy, themes.log2
    times = 0
    for hit in range(first, last):
        times += hits[2, hit]
    total = 1.0 if kind < 3 else 0.0
    every = log2[times] if times < len(log2) else np.log2(times)
    for hit in range(first, last):
        p, q = hits[2, hit] / times, share[hits[1, hit]]
        if kind < 3:
            n = hits[2, hit]
            log = log2[n] if n < len(log2) else np.log2(n)
            total += p * (log - every) + entropy[hits[1, hit]] - q
            total -= (p + q) * np.log2((p + q) / 2)
        elif kind == 3:
            total += p * np.log(p / q)
        else:
            total += min(p, q)
    if kind == 3:
        return np.exp(-max(total, 0.0))
    if kind == 4:
        return min(total, 1.0)
    divergence = min(max(total / 2, 0.0), 1.0)
    if kind == 0:
        return 1 - divergence
    return 1 - np.sqrt(divergence if kind == 1 else divergence * _LN2)


@njit(cache=True, nogil=True)
def _write(article, mates, similar, excess, tie, out):
    """Write the best two of an article's candidates; the older wins a tie."""
    best, second, figures = out.best, out.second, out.figures
    one = _oldest_best(mates, similar, -1, tie)
    two = _oldest_best(mates, similar, one, tie)
    best[article] = mates[one] if one >= 0 else -1
    second[article] = mates[two] if two >= 0 else -1
    figures[article, :] = 0.0
    figures[article, 4] = excess
    if one >= 0:
        for i in range(3):
            figures[article, i] = similar[i, one]
    if two >= 0:
        figures[article, 3] = similar[2, two]


@njit(cache=True, nogil=True)
def _oldest_best(mates, similar, but, tie):
    """Return the place of the oldest story within `tie` of the highest, -1 for none."""
    highest = -1.0
    for i in range(len(mates)):
        if i != but:
            highest = max(highest, similar[2, i])
    found = -1
    for i in range(len(mates)):
        near = i != but and similar[2, i] >= highest - tie
        if near and (found < 0 or mates[i] < mates[found]):
            found = i
    return found
