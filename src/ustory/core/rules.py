"""Rules that the fields of a class must meet before a state is built from them.

A state may come from anybody: a checksum is no signature, and compiled loops do not
check what they read. A class that is written to states lists its rules beside its
fields, in `RULES`; the codec checks them for all values of a column at once, before
it builds any. Rules between the parts of a state are in `engine.consistency`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

FAR = 1 << 62
"""Higher than any number of panes, articles or stories."""
MAX_DAYS = 4_000_000
"""More days than lie between the epoch and any time of a calendar."""
MAX_TERMS = 1 << 24
"""More term appearances than any article has: a text of some 50 MB."""
_MAX_COPIED_NUMBERS = 4_096
"""Larger arrays are checked one by one, without a joined copy."""

Table: TypeAlias = Mapping[str, Sequence[Any]]
"""The values of each field, in the same order."""


class InconsistentError(ValueError):
    """Columns that no version can have written."""


class Rule(Protocol):
    """A condition on all values of a class."""

    def ask(self, table: Table) -> None:
        """Raise `InconsistentError` if it does not hold."""
        ...


def must(holds: object, words: str) -> None:
    """Raise `InconsistentError` with these words, unless it holds."""
    if not holds:
        raise InconsistentError(words)


class Arrays:
    """Fields that are arrays of a dtype, or of one of several, with so many axes."""

    def __init__(self, dtypes: str, *fields: str, axes: int = 1) -> None:
        self._words = dtypes
        self._dtypes = frozenset(map(np.dtype, dtypes.split()))
        self._fields = fields
        self._axes = axes

    def ask(self, table: Table) -> None:
        """Check the type of each array, not its numbers."""
        dtypes, axes = self._dtypes, self._axes
        for field in self._fields:
            must(
                all(a.dtype in dtypes and a.ndim == axes for a in table[field]),
                f"{field} must be {self._words} with {axes} axes",
            )


class Alike:
    """Fields that have equally many rows, in each value."""

    def __init__(self, first: str, *others: str) -> None:
        self._first = first
        self._others = others

    def ask(self, table: Table) -> None:
        """Compare lengths."""
        sizes = list(map(len, table[self._first]))
        for other in self._others:
            must(
                list(map(len, table[other])) == sizes,
                f"{self._first} and {other} must be equally long",
            )


class Within:
    """Numbers, or arrays of numbers, that lie between two bounds; NaN does not."""

    def __init__(self, low: float, high: float, *fields: str) -> None:
        self._low = low
        self._high = high
        self._fields = fields

    def ask(self, table: Table) -> None:
        """Compare the lowest and the highest."""
        for field in self._fields:
            for numbers in _numbers(table[field]):
                # in this order NaN fails too
                must(
                    numbers.min() >= self._low and numbers.max() <= self._high,
                    f"{field} must be between {self._low:g} and {self._high:g}",
                )


class Ascending:
    """Arrays in which each number is larger than the one before it."""

    def __init__(self, field: str) -> None:
        self._field = field

    def ask(self, table: Table) -> None:
        """Compare neighbours, but not across arrays."""
        arrays = table[self._field]
        joined = _joined(arrays)
        larger = np.diff(joined) > 0
        ends = np.cumsum(_lengths(arrays))[:-1]
        between = ends[(ends > 0) & (ends < len(joined))]
        larger[between - 1] = True
        must(larger.all(), f"{self._field} must be ascending")


class PositionsIn:
    """Arrays of positions in another array of the same value."""

    def __init__(self, field: str, among: str) -> None:
        self._field = field
        self._among = among

    def ask(self, table: Table) -> None:
        """Compare each with the length of the other."""
        places = table[self._field]
        joined = _joined(places)
        limit = np.repeat(_lengths(table[self._among]), _lengths(places))
        must(
            not len(joined) or (joined.min() >= 0 and (joined < limit).all()),
            f"{self._field} must be positions in {self._among}",
        )


class Shares:
    """Counts that divide another array of the same value: they add up to its length."""

    def __init__(self, field: str, of: str) -> None:
        self._field = field
        self._of = of

    def ask(self, table: Table) -> None:
        """Compare each sum with the length of the other."""
        sums = [int(counts.sum(dtype=np.int64)) for counts in table[self._field]]
        must(
            sums == list(map(len, table[self._of])),
            f"{self._field} must add up to the length of {self._of}",
        )


class Total:
    """Arrays of counts whose sum does not exceed a limit."""

    def __init__(self, most: int, field: str) -> None:
        self._most = most
        self._field = field

    def ask(self, table: Table) -> None:
        """Compare the largest sum."""
        sums = [int(counts.sum(dtype=np.int64)) for counts in table[self._field]]
        must(
            max(sums, default=0) <= self._most,
            f"{self._field} must add up to {self._most} at most",
        )


class Distinct:
    """Arrays of distinct numbers between 0 and 2^31."""

    def __init__(self, field: str) -> None:
        self._field = field

    def ask(self, table: Table) -> None:
        """Sort the numbers of all arrays, each with its array."""
        arrays = table[self._field]
        owner = np.repeat(np.arange(len(arrays)), _lengths(arrays))
        both = (owner << 32) | _joined(arrays)
        both.sort()
        must((np.diff(both) > 0).all(), f"{self._field} must be distinct")


class Holds:
    """Any test of the fields of each value."""

    def __init__(self, words: str, test: Callable[..., bool], *fields: str) -> None:
        self._words = words
        self._test = test
        self._fields = fields

    def ask(self, table: Table) -> None:
        """Run the test on each value."""
        for given in zip(*(table[field] for field in self._fields), strict=True):
            must(self._test(*given), self._words)


class Square:
    """Tables with as many rows and columns as another field has numbers."""

    def __init__(self, field: str, side: str) -> None:
        self._field = field
        self._side = side

    def ask(self, table: Table) -> None:
        """Compare shapes."""
        pairs = zip(table[self._field], table[self._side], strict=True)
        must(
            all(square.shape == (len(row), len(row)) for square, row in pairs),
            f"{self._field} must be a square as long as {self._side}",
        )


class Keyed:
    """Mappings whose keys are a field of their values."""

    def __init__(self, field: str, name: str) -> None:
        self._field = field
        self._name = name

    def ask(self, table: Table) -> None:
        """Compare each key with that field."""
        for mapping in table[self._field]:
            must(
                all(getattr(v, self._name) == key for key, v in mapping.items()),
                f"{self._field} must be by their {self._name}",
            )


class Ordered:
    """Mappings whose keys, or whose values' numbers, are ascending."""

    def __init__(self, field: str, by: str | None = None) -> None:
        self._field = field
        self._by = by

    def ask(self, table: Table) -> None:
        """Compare neighbours."""
        for mapping in table[self._field]:
            keys = list(mapping)
            if self._by is not None:
                keys = [getattr(value, self._by) for value in mapping.values()]
            must(
                all(a < b for a, b in pairwise(keys)),
                f"{self._field} must be in order",
            )


def _lengths(arrays: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.fromiter(map(len, arrays), np.int64, len(arrays))


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


def _numbers(values: Sequence[Any]) -> list[NDArray[Any]]:
    """Return the arrays to check: small ones joined, large ones as they are."""
    if not values:
        return []
    if not isinstance(values[0], np.ndarray):
        # whole numbers beyond 2^63 cannot be here: they were read as int64
        return [np.array(values)]
    large = [each for each in values if each.size > _MAX_COPIED_NUMBERS]
    small = [
        each.reshape(-1) for each in values if 0 < each.size <= _MAX_COPIED_NUMBERS
    ]
    return [*large, np.concatenate(small)] if small else large
