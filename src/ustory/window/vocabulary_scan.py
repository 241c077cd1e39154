"""The hot loops of the vocabulary, compiled: terms found by a hash of their keys."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arrays are typed where these are called: window/vocabulary.py.
# mypy: disable-error-code="no-untyped-def, misc, assignment"
# ruff: noqa: ANN001, ANN201, ANN202


@njit(cache=True, nogil=True)
def _slot_of(key, known, slots):
    """Return the slot of a key, its own or the free one it would get."""
    code = np.uint64(key ^ (key >> 32)) * np.uint64(0x9E3779B97F4A7C15)
    high = code >> np.uint64(32)
    slot = np.int64((high * np.uint64(len(slots))) >> np.uint64(32))
    while slots[slot] >= 0 and known[slots[slot]] != key:
        slot += 1
        if slot == len(slots):
            slot = 0
    return slot


@njit(cache=True, nogil=True)
def number_keys(keys, known, slots, count, numbers):
    """Write the number of each key, and return how many are known then.

    A new key gets the next number, and its place among the known.
    """
    for i in range(len(keys)):
        slot = _slot_of(keys[i], known, slots)
        if slots[slot] < 0:
            slots[slot] = count
            known[count] = keys[i]
            count += 1
        numbers[i] = slots[slot]
    return count


@njit(cache=True, nogil=True)
def fill_slots(known, slots, count):
    """Put the first `count` keys into free slots."""
    for number in range(count):
        slots[_slot_of(known[number], known, slots)] = number


@njit(cache=True, nogil=True)
def free_slots(known, slots, first, count):
    """Take the keys from `first` on out again: the last that were put in."""
    for number in range(count - 1, first - 1, -1):
        slots[_slot_of(known[number], known, slots)] = -1
