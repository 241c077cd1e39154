"""Which stories of the archive have a term: an inverted index over terms as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.links.profile import Profile
from ustory.links.word_scan import postings


class TermIndex:
    """Finds the profiles that share terms with a query, and touches no others.

    It never changes. A new one is made of the last, so that only terms of profiles
    that are new have to be read.
    """

    __slots__ = ("_first", "_number", "_profiles", "_row", "_rows", "_weight")

    def __init__(
        self, profiles: Mapping[str, Profile], last: TermIndex | None = None
    ) -> None:
        self._profiles = list(profiles.values())
        self._number: dict[str, int] = {}
        """Terms of profiles, those of forgotten ones too, until they are half."""
        old: Mapping[str, tuple[Profile, Indices]] = {}
        if last is not None and len(last._number) <= 2 * _entries(self._profiles):
            self._number, old = dict(last._number), last._rows
        self._rows: dict[str, tuple[Profile, Indices]] = {}
        for profile in self._profiles:
            known = old.get(profile.story)
            same = known is not None and known[0] is profile
            self._rows[profile.story] = (
                known if known and same else (profile, self._numbered(profile.terms))
            )
        self._first, self._row, self._weight = self._postings()

    def _numbered(self, terms: Sequence[str]) -> Indices:
        number = self._number
        return np.array(
            [number.setdefault(term, len(number)) for term in terms], dtype=np.int32
        )

    def _postings(self) -> tuple[Indices, Indices, Vector]:
        """Return where each term's entries begin, their profiles and weights."""
        none = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        parts = [row for _, row in self._rows.values()]
        start = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        terms = np.concatenate([none[0], *parts])
        weights = np.concatenate([none[1], *(p.weights for p in self._profiles)])
        first, row, value = postings(start, terms, weights, len(self._number))
        return first, row, value.astype(np.float64)

    def likeness(
        self, terms: Sequence[str], weights: Vector, least: float = 0.0
    ) -> dict[str, float]:
        """Return the product of weighted terms with each profile that has any.

        Products below `least` are left out.
        """
        numbers = [self._number.get(term, -1) for term in terms]
        known = np.array(numbers, dtype=np.int64)
        weights, known = weights[known >= 0], known[known >= 0]
        start, sizes = self._first[known], self._first[known + 1] - self._first[known]
        ends = np.cumsum(sizes)
        entry = np.arange(ends[-1] if len(ends) else 0)
        entry += np.repeat(start - (ends - sizes), sizes)
        row = self._row[entry]
        products = np.repeat(weights, sizes) * self._weight[entry]
        # bincount adds in the order of the query: sums do not depend on numbering
        total = np.bincount(row, products, len(self._profiles))
        has = np.zeros(len(self._profiles), dtype=bool)
        has[row] = True
        near = np.flatnonzero(has & (total >= least))
        return {self._profiles[i].story: float(total[i]) for i in near.tolist()}


def _entries(profiles: Sequence[Profile]) -> int:
    return sum(len(profile.terms) for profile in profiles)
