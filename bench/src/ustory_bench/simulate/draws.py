"""Chance without state: every draw is a function of the seed and of what it is for.

So any article can be written at any time, alone or in a batch, and comes out the same.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Draws: TypeAlias = NDArray[np.uint64]
"""64 random bits each."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_PRECISION = np.uint64(11)  # a float has 53 bits of the 64


def scrambled(numbers: Draws) -> Draws:
    """Return 64 bits for each number that look random (Steele et al. 2014)."""
    bits = numbers + _STEP
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    return bits ^ (bits >> np.uint64(31))


def draw(key: Draws | np.uint64, *purpose: ArrayLike) -> Draws:
    """Return the bits that belong to a key and a purpose, given as whole numbers."""
    bits = np.atleast_1d(np.asarray(key, dtype=np.uint64))
    for number in purpose:
        bits = scrambled(bits ^ scrambled(np.atleast_1d(number).astype(np.uint64)))
    return bits


def fractions(bits: Draws) -> NDArray[np.float64]:
    """Return each draw as a number from 0 up to, but without, 1."""
    return (bits >> _PRECISION).astype(np.float64) * 2.0**-53


def bits_of(bits: Draws, first: int, count: int) -> NDArray[np.int64]:
    """Return some of the 64 bits as a number below 2^count."""
    part = (bits >> np.uint64(first)) & np.uint64((1 << count) - 1)
    return part.astype(np.int64)
