"""The links of the window, as columns: who with whom, and how strongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.rules import DAYS, FAR, Alike, Arrays, Holds, Rule, Within


def _no_numbers() -> Indices:
    return np.zeros(0, dtype=np.int64)


def _no_values() -> Vector:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Pairs of articles that may tell one story; what is said of them stays said.

    Words and meaning are weighed when the newer article arrives, by what is common
    in the stream at that time; time and chance when the links are read.
    """

    older: Indices = field(default_factory=_no_numbers)
    """Serial number of the article that came first."""
    newer: Indices = field(default_factory=_no_numbers)
    """Serial number of the other; ascending."""
    words: Vector = field(default_factory=_no_values)
    """Log-odds by their words."""
    meaning: Vector = field(default_factory=_no_values)
    """Log-odds by their vectors."""
    gap: Vector = field(default_factory=_no_values)
    """Days between them."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "older", "newer"),
        Arrays("float64", "words", "meaning", "gap"),
        Alike("older", "newer", "words", "meaning", "gap"),
        Within(0, FAR, "older", "newer"),
        Within(-1e6, 1e6, "words", "meaning"),
        Within(0, 2 * DAYS, "gap"),
        Holds(
            "links must be in order of the newer article",
            lambda older, newer: bool(
                (np.diff(newer) >= 0).all() and (older < newer).all()
            ),
            "older",
            "newer",
        ),
    )

    def __len__(self) -> int:
        return len(self.older)

    @classmethod
    def join(cls, parts: Sequence[Links]) -> Links:
        """Return the links of several parts, one after the other."""
        names = [column.name for column in fields(cls)]
        every = [cls(), *parts]
        return cls(**{n: np.concatenate([getattr(p, n) for p in every]) for n in names})

    def only(self, keep: Mask) -> Links:
        """Return the links marked in `keep`."""
        return Links(
            older=self.older[keep],
            newer=self.newer[keep],
            words=self.words[keep],
            meaning=self.meaning[keep],
            gap=self.gap[keep],
        )

    def among(self, serials: Indices) -> Links:
        """Return the links between articles that are still there.

        `serials` are ascending.
        """
        return self.only(_within(self.older, serials) & _within(self.newer, serials))


def _within(numbers: Indices, known: Indices) -> Mask:
    if not len(known):
        return np.zeros(len(numbers), dtype=bool)
    place = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    found: Mask = known[place] == numbers
    return found


def strongest(newer: Indices, value: Vector, most: int) -> Mask:
    """Return which pairs are among the `most` strongest of their newer article.

    `newer` is ascending; of equals the earlier pair is kept.
    """
    order = np.lexsort((np.arange(len(value)), -value, newer))
    sorted_by = newer[order]
    first = np.flatnonzero(np.diff(sorted_by, prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    keep = np.zeros(len(value), dtype=bool)
    keep[order[rank < most]] = True
    return keep
