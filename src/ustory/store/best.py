"""The first of many by several keys, without sorting them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Key: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Places: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]


def first_by(
    keys: Sequence[Key], limit: int, after: Sequence[float] | None = None
) -> Places:
    """Return the places of the `limit` highest, in descending order of the keys.

    `after` are the keys of the one before the first; the last key must be unique.

    >>> heat, number = np.array([1.0, 3.0, 3.0, 2.0]), np.array([1, 2, 3, 4])
    >>> first_by([heat, number], 3).tolist()
    [2, 1, 3]
    >>> first_by([heat, number], 3, after=(3.0, 2)).tolist()
    [3, 0]
    """
    rest = np.arange(len(keys[0]))
    if after is not None:
        rest = rest[_is_after(keys, after)]
    chosen: list[Places] = []
    missing = limit
    for key in keys:
        if len(rest) <= missing:
            break
        values = key[rest]
        cut = len(values) - missing
        last = np.partition(values, cut)[cut]
        sure = rest[values > last]
        chosen.append(sure)
        missing -= len(sure)
        rest = rest[values == last]
    chosen.append(rest[:missing])
    found = np.concatenate(chosen)
    order = np.lexsort([key[found] for key in reversed(keys)])
    return found[order[::-1]]


def as_it_stands(
    keys: Sequence[Key], after: tuple[float, ...] | None
) -> tuple[float, ...] | None:
    """Return the keys that a row has now; those it had, if it is gone.

    Scores and heat change with the archive: a page that goes by what they were would
    lose rows, or repeat them.
    """
    if after is None:
        return None
    places = np.flatnonzero(keys[-1] == after[-1])
    return tuple(key[places[0]].item() for key in keys) if len(places) else after


def count_before(keys: Sequence[Key], after: Sequence[float] | None) -> int:
    """Return how many come before what follows a key, its own place included."""
    return 0 if after is None else int(np.count_nonzero(~_is_after(keys, after)))


def _is_after(keys: Sequence[Key], after: Sequence[float]) -> Key:
    """Return which places come after a key: are less, in the order of the keys."""
    less = np.zeros(len(keys[0]), dtype=bool)
    same = np.ones(len(keys[0]), dtype=bool)
    for key, value in zip(keys, after, strict=True):
        less |= same & (key < value)
        same &= key == value
    return less
