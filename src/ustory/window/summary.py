"""Story summaries by pane: what is kept of assigned articles (Sec. 5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.core.kernels import njit
from ustory.core.rules import (
    FAR,
    Alike,
    Arrays,
    Distinct,
    Holds,
    Ordered,
    Rule,
    Within,
)
from ustory.window.raw_buffers import SCRATCH, ints, reduce_by_init, row_of
from ustory.window.tally import largest_table, slot_of, table_size


def add_up(
    rows: Sequence[tuple[int, ...]],
    sizes: Sequence[int],
) -> list[tuple[Indices, Counts]]:
    """Return the distinct terms of each group of rows, and how often it has them.

    Group i is the next `sizes[i]` rows; a row holds its number of terms, and
    the addresses of their numbers and frequencies. Terms are in order of appearance.
    """
    buffers = np.array([row[:3] for row in rows], dtype=np.int64).reshape(len(rows), 3)
    length, terms_at, tf_at = buffers.T.copy()
    most = int(length.sum())
    found = SCRATCH.ints("added: terms", most)
    total = SCRATCH.ints("added: tf", most)
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    group_end = np.cumsum(np.asarray(sizes, dtype=np.int64))
    slots = SCRATCH.ints("slots", largest_table(length, group_end))
    _add_up((terms_at, tf_at, length), group_end, slots, (start, found, total))
    parts = [slice(a, b) for a, b in pairwise(start.tolist())]
    return [(found[part].copy(), total[part].copy()) for part in parts]


@njit(cache=True, nogil=True)
def _add_up(rows, group_end, slots, out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Sum each group; `slots` is memory for a hash table of its terms."""
    terms_at, tf_at, length = rows
    start, terms, tf = out
    row = 0
    place = 0
    for group in range(len(group_end)):
        first = place
        entries = 0
        for i in range(row, group_end[group]):
            entries += length[i]
        size = table_size(entries)
        slots[:size] = 0
        while row < group_end[group]:
            term = ints(terms_at[row], length[row])
            count = ints(tf_at[row], length[row])
            for i in range(length[row]):
                at = slot_of(term[i], slots, size, terms[first:])
                if slots[at] == 0:
                    terms[place] = term[i]
                    tf[place] = count[i]
                    place += 1
                    slots[at] = place - first
                else:
                    tf[first + slots[at] - 1] += count[i]
            row += 1
        start[group + 1] = place


class Counted(Protocol):
    """An article whose terms are counted, as summaries need it."""

    @property
    def pane(self) -> int:
        """Which pane it is in."""
        ...

    @property
    def length(self) -> int:
        """Term appearances in all."""
        ...

    @property
    def buffers(self) -> tuple[int, ...]:
        """The number of terms, the addresses of terms and tf, and maybe more."""
        ...


@dataclass(frozen=True, slots=True)
class PaneSummary:
    """The triplet of one story pane (Def 5.3, Eq. 6): ⟨|p|, tf(·, p), Σ E_a|C⟩."""

    articles: int
    terms: Indices
    """Distinct term numbers."""
    tf: Counts
    vectors: Vector
    """Sum of the thematic representations, frozen when they were assigned."""
    length: int
    """Term appearances in all its articles."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int32", "terms", "tf"),
        Arrays("float64", "vectors"),
        Alike("terms", "tf"),
        Within(1, FAR, "articles", "tf"),
        Within(0, FAR, "terms", "length"),
        Within(-1e12, 1e12, "vectors"),
        Distinct("terms"),
        Holds(
            "length must be the sum of tf",
            lambda tf, length: int(tf.sum(dtype=np.int64)) == length,
            "tf",
            "length",
        ),
    )
    buffers: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """For compiled loops: the number of terms, the addresses of terms and tf."""

    def __post_init__(self) -> None:
        """Store the addresses of the arrays."""
        object.__setattr__(self, "buffers", row_of(self.terms, self.tf))

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild through `__init__`: unpickled arrays have other addresses."""
        return reduce_by_init(self)


@dataclass(frozen=True, slots=True)
class StorySummary:
    """PSS_C: a pane summary for each pane in which the story has articles."""

    story: str
    panes: Mapping[int, PaneSummary] = field(default_factory=dict)
    """By pane number, ascending."""
    total: int = 0
    """Articles it ever had."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Ordered("panes"),
        Holds("a story must have panes", bool, "panes"),
        Within(1, FAR, "total"),
    )

    @property
    def articles(self) -> int:
        """Articles it has in the window."""
        return sum(pane.articles for pane in self.panes.values())

    def with_panes(self, panes: Mapping[int, PaneSummary], added: int) -> StorySummary:
        """Return the story with some panes replaced, `added` articles more."""
        every = dict(sorted({**self.panes, **panes}.items()))
        return replace(self, panes=every, total=self.total + added)

    def since(self, pane: int) -> StorySummary:
        """Return the story without what lies before `pane`."""
        if not self.panes or next(iter(self.panes)) >= pane:
            return self
        return replace(self, panes={p: s for p, s in self.panes.items() if p >= pane})

    def renumber(self, moved: Indices) -> StorySummary:
        """Return the same story under another vocabulary."""
        panes = {p: replace(s, terms=moved[s.terms]) for p, s in self.panes.items()}
        return replace(self, panes=panes)


def add_articles(
    stories: Sequence[StorySummary],
    groups: Sequence[Sequence[Counted]],
    vectors: Sequence[Matrix],
) -> list[StorySummary]:
    """Return the stories with more articles: everything adds up, pane by pane.

    Group i joins story i; `vectors[i]` has the representation of each, E_a|C.
    """
    panes = [_by_pane(group) for group in groups]
    parts = [
        _Part(story.panes.get(pane), [group[i] for i in rows], seen[rows])
        for story, group, seen, split in zip(
            stories, groups, vectors, panes, strict=True
        )
        for pane, rows in split.items()
    ]
    sums = add_up(
        [row.buffers for part in parts for row in part.rows],
        [len(part.rows) for part in parts],
    )
    grown = iter(part.grown(*total) for part, total in zip(parts, sums, strict=True))
    return [
        story.with_panes({pane: next(grown) for pane in split}, len(group))
        for story, split, group in zip(stories, panes, groups, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Part:
    """What one pane of a story has, and what is to be added to it."""

    old: PaneSummary | None
    new: Sequence[Counted]
    vectors: Matrix

    @property
    def rows(self) -> list[PaneSummary | Counted]:
        return [*self.new] if self.old is None else [self.old, *self.new]

    def grown(self, terms: Indices, tf: Counts) -> PaneSummary:
        seen = self.vectors.sum(axis=0, dtype=np.float64)
        length = sum(article.length for article in self.new)
        if self.old is None:
            return PaneSummary(len(self.new), terms, tf, seen, length)
        return PaneSummary(
            self.old.articles + len(self.new),
            terms,
            tf,
            self.old.vectors + seen,
            self.old.length + length,
        )


def _by_pane(articles: Sequence[Counted]) -> dict[int, list[int]]:
    """Return which of the articles are in each pane, oldest pane first."""
    panes: dict[int, list[int]] = {}
    for i, article in enumerate(articles):
        panes.setdefault(article.pane, []).append(i)
    return dict(sorted(panes.items()))
