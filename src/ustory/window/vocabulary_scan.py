"""The hot loops of the vocabulary, compiled: terms found by a hash of their keys."""

from __future__ import annotations

from ustory.core.hashing import slot_of_key
from ustory.core.kernels import njit

# Arrays are typed where these are called: window/vocabulary.py.
# mypy: disable-error-code="no-untyped-def, misc, assignment"
# ruff: noqa: ANN001, ANN201


@njit(cache=True, nogil=True)
def number_keys(keys, known, slots, count, numbers):
    """Write the number of each key, and return how many are known then.

    A new key gets the next number, and its place among the known.
    """
    for i in range(len(keys)):
        slot = slot_of_key(keys[i], known, slots)
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
        slots[slot_of_key(known[number], known, slots)] = number


@njit(cache=True, nogil=True)
def free_slots(known, slots, first, count):
    """Take the keys from `first` on out again: the last that were put in."""
    for number in range(count - 1, first - 1, -1):
        slots[slot_of_key(known[number], known, slots)] = -1
