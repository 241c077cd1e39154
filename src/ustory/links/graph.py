"""The links of the window, as columns: who with whom, and how strongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.rules import FAR, MAX_DAYS, Alike, Arrays, Holds, Rule, Within


def _no_numbers() -> Indices:
    return np.zeros(0, dtype=np.int64)


def _no_values() -> Vector:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Pairs of articles that may report one story, and the evidence for each.

    Evidence is weighed once, when the newer article arrives, by what is common in the
    stream at that time; time and the prior are weighed whenever links are read.
    """

    older: Indices = field(default_factory=_no_numbers)
    """Serial number of the article that came first."""
    newer: Indices = field(default_factory=_no_numbers)
    """Serial number of the other; ascending."""
    evidence: Mapping[str, Vector] = field(default_factory=dict)
    """Log-odds of each link by the name of each evidence."""
    gap: Vector = field(default_factory=_no_values)
    """Days between them."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "older", "newer"),
        Arrays("float64", "gap"),
        Alike("older", "newer", "gap"),
        Within(0, FAR, "older", "newer"),
        Within(0, 2 * MAX_DAYS, "gap"),
        Holds(
            "evidence must be log-odds of each link, between -1e+06 and 1e+06",
            lambda evidence, older: all(
                odds.dtype == np.float64
                and odds.shape == older.shape
                and bool((np.abs(odds) <= 1e6).all())
                for odds in evidence.values()
            ),
            "evidence",
            "older",
        ),
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
        """Return the links of several parts, one after the other.

        Evidence that a part does not have is neutral for its links.
        """
        every = [cls(), *parts]
        names = list(dict.fromkeys(name for part in every for name in part.evidence))
        return cls(
            older=np.concatenate([part.older for part in every]),
            newer=np.concatenate([part.newer for part in every]),
            evidence={
                name: np.concatenate(
                    [part.evidence.get(name, np.zeros(len(part))) for part in every]
                )
                for name in names
            },
            gap=np.concatenate([part.gap for part in every]),
        )

    def only(self, keep: Mask | Indices) -> Links:
        """Return the links marked in `keep`, or those at the places it holds."""
        return Links(
            older=self.older[keep],
            newer=self.newer[keep],
            evidence={name: odds[keep] for name, odds in self.evidence.items()},
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
