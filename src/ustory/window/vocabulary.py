"""The terms of the window: grows with the stream, forgets what left it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ustory.core.arrays import Indices, Mask


class Vocabulary:
    """Numbers terms in order of appearance.

    It only ever grows, so states may share one; forgetting makes a new one.
    """

    __slots__ = ("_numbers", "_terms")

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self._terms = list(terms)
        self._numbers = {term: number for number, term in enumerate(self._terms)}

    def __len__(self) -> int:
        return len(self._terms)

    def number(self, terms: Sequence[str]) -> Indices:
        """Return the number of each term, new numbers for new terms."""
        numbers, known = self._numbers, self._terms
        found = list(map(numbers.get, terms))
        if None in found:
            for position, number in enumerate(found):
                if number is None:
                    term = terms[position]
                    found[position] = numbers[term] = len(known)
                    known.append(term)
        return np.array(found, dtype=np.int32)

    def term(self, number: int) -> str:
        """Return the term with this number."""
        return self._terms[number]

    def terms(self) -> Sequence[str]:
        """Return all terms in the order of their numbers."""
        return self._terms

    def keep(self, alive: Mask) -> tuple[Vocabulary, Indices]:
        """Return a vocabulary of the `alive` terms and where each number went.

        A forgotten number maps to -1.
        """
        moved = np.full(len(self._terms), -1, dtype=np.int32)
        moved[alive] = np.arange(int(alive.sum()), dtype=np.int32)
        kept = [self._terms[number] for number in np.flatnonzero(alive).tolist()]
        return Vocabulary(kept), moved
