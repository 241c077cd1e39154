"""Memory that compiled loops use again and again: new memory is slow to touch."""

from __future__ import annotations

import threading

import numpy as np

from ustory.core.arrays import Counts, Vector

_SPARE = 1.25
"""Room to grow, so that a growing vocabulary does not mean new memory every time."""


LARGE = 1 << 22
"""Numbers from which on an array is not kept: it would be memory that most of a
slide has no use for, and what is made of so many numbers takes longer than touching
them for the first time."""


class Scratch(threading.local):
    """Arrays by name, each thread its own; what they hold is nobody's.

    An array is good until its name is asked for again in the same thread.
    """

    def __init__(self) -> None:
        self._ints: dict[str, Counts] = {}
        self._floats: dict[str, Vector] = {}

    def ints(self, name: str, size: int) -> Counts:
        """Return an int32 array of this size, with anything in it."""
        if size > LARGE:
            return np.empty(size, dtype=np.int32)
        held = self._ints.get(name)
        if held is None or len(held) < size:
            held = np.empty(int(size * _SPARE), dtype=np.int32)
            self._ints[name] = held
        return held[:size]

    def zeros(self, name: str, size: int) -> Counts:
        """Return an int32 array of zeros."""
        if size > LARGE:
            return np.zeros(size, dtype=np.int32)
        found = self.ints(name, size)
        found.fill(0)
        return found

    def floats(self, name: str, size: int) -> Vector:
        """Return a float64 array of this size, with anything in it."""
        if size > LARGE:
            return np.empty(size)
        held = self._floats.get(name)
        if held is None or len(held) < size:
            held = np.empty(int(size * _SPARE))
            self._floats[name] = held
        return held[:size]


SCRATCH = Scratch()
