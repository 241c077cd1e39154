"""Groups that are one story: as alike between each other as each is in itself.

Communities are relative: a large story is divided wherever links are a little denser.
Whether a division is one of the story or one of the graph, the words of both sides say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.links.gists import GistRows
from ustory.links.joining_scan import Groups, Levels, LinkedGroups, join_groups
from ustory.links.outlets import shares
from ustory.links.word_candidates import pair_cosines
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

BY_LINKS = 0.2
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

ACROSS = 0.2
"""How much less is asked of groups in two languages: of a likeness that they have, a
translation keeps about four fifths, and lead and title vary more than words."""

NOTHING = 1e-3
"""Least likeness inside a group, so that shares stay finite."""

_NO_ROWS = np.zeros(0, dtype=np.int64)


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
    gists: GistRows | None = None
    """None: gists do not count, and all is compared by words."""


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
    sizes = np.array([len(rows) for rows in found], dtype=np.int64)
    rows = np.concatenate([_NO_ROWS, *found])
    whole = np.repeat(first, sizes)
    order = np.lexsort((rows, whole))
    ends = np.flatnonzero(np.diff(whole[order])) + 1
    joint = np.split(rows[order], ends) if len(rows) else []
    return sorted(joint, key=lambda rows: int(rows[0]))


def homes(found: Sequence[Indices], standing: Indices) -> Indices:
    """Return the story that most of each group stood in, -1 for none."""
    sizes = [len(rows) for rows in found]
    stood = standing[np.concatenate([_NO_ROWS, *found])]
    group = np.repeat(np.arange(len(found)), sizes)[stood >= 0]
    names, story = np.unique(stood[stood >= 0], return_inverse=True)
    key, count = np.unique(group * len(names) + story, return_counts=True)
    of, story = np.divmod(key, max(len(names), 1))
    order = np.lexsort((story, -count, of))
    of, first = np.unique(of[order], return_index=True)
    home = np.full(len(found), -1, dtype=np.int64)
    home[of] = names[story[order][first]]
    return home


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
    count, inside = len(home), group >= 0
    weight = shares(group, evidence.outlet)
    rows = _sums(group, count, evidence.words, weight)
    every, here, counted = np.arange(count), group[inside], weight[inside]
    said = np.bincount(here, counted * evidence.reliability[inside], count)
    groups = Groups(
        np.bincount(here, minlength=count),
        home,
        np.bincount(here, counted, count).astype(np.float64),
        np.bincount(here, counted * counted, count).astype(np.float64),
        pair_cosines(rows, every, every),
        said.astype(np.float64),
        by_language(group, count, weight, evidence.gists),
        *gist_sums(group, count, weight, evidence.gists),
        np.ones(count, dtype=bool) if moves is None else moves.copy(),
    )
    linked = _linked(group, count, evidence)
    return np.asarray(join_groups(groups, linked, rows, _levels()))


def _levels() -> Levels:
    return Levels(
        ALIKE,
        SHORT_TEXTS,
        SMALL_SAMPLE,
        SIZE,
        FEW,
        BY_LINKS,
        LINKS,
        LIKENESS,
        HABIT,
        LEAST,
        LEAST_OF_FEW,
        UNLINKED,
        ENOUGH,
        NOTHING,
        ACROSS,
    )


def _linked(group: Indices, count: int, evidence: GroupEvidence) -> LinkedGroups:
    """Return the groups that each has links with."""
    one, other = (group[rows] for rows in evidence.pairs)
    across = (one != other) & (one >= 0) & (other >= 0)
    key = (np.minimum(one, other) * count + np.maximum(one, other))[across]
    odds = np.clip(evidence.odds[across], QUIETEST, LOUDEST)
    keys, place, links = np.unique(key, return_inverse=True, return_counts=True)
    sums = np.bincount(place, odds, minlength=len(keys)).astype(np.float64)
    low, high = np.divmod(keys, max(count, 1))
    row = np.concatenate([low, high])
    order = np.argsort(row, kind="stable")
    return LinkedGroups(
        np.searchsorted(row[order], np.arange(count + 1)),
        np.concatenate([high, low])[order],
        np.concatenate([sums, sums])[order],
        np.concatenate([links, links])[order],
    )


def by_language(
    group: Indices, count: int, weight: Vector, gists: GistRows | None
) -> NDArray[np.float64]:
    """Return as how many articles with a gist in each language each group counts."""
    if gists is None:
        return np.zeros((count, 0))
    there = np.flatnonzero((group >= 0) & gists.there)
    names, language = np.unique(gists.language[there], return_inverse=True)
    found = np.zeros((count, len(names)))
    np.add.at(found, (group[there], language), weight[there])
    return found


def gist_sums(
    group: Indices, count: int, weight: Vector, gists: GistRows | None
) -> tuple[Vector, Vector, Vector]:
    """Return the sum of the gists of each group, as many as they count, and squares."""
    if gists is None:
        return np.zeros((count, 0)), np.zeros(count), np.zeros(count)
    there = np.flatnonzero((group >= 0) & gists.there)
    member = sparse.csr_array(
        (weight[there], (group[there], there)), shape=(count, len(group))
    )
    sums = np.asarray(member @ gists.vectors.astype(np.float64))
    counted = np.bincount(group[there], weight[there], count)
    squares = np.bincount(group[there], weight[there] ** 2, count)
    return sums, counted.astype(np.float64), squares.astype(np.float64)


def _sums(group: Indices, count: int, words: Rows, weight: Vector) -> Rows:
    """Return the sum of the rows of each group, each article by its weight."""
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
    return Rows(sums.indptr, sums.indices, sums.data)
