"""Hash tables for compiled loops: open addressing over flat arrays.

A table is an array of slots that hold the place of a key, -1 if they are free. Its
order never matters: keys are numbered in the order in which they come.

Two loops have tables of their own, because these made them 5 % slower: sums over
groups of articles (`window/tally.py`) keep neighbouring terms in one line of the cache,
and the search in large windows (`links/nearest_scan.py`) keeps weights in its slots.
"""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# Arrays are typed where these are called.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201


@njit(cache=True, nogil=True)
def first_slot(key, size):
    """Return where a number is looked for first among `size` slots.

    The high half of a product by 2^64 over the golden ratio depends on all bits of the
    key; scaling it by the size needs neither a division nor a power of 2.
    """
    code = np.uint64(key ^ (key >> 32)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(((code >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def slot_of_key(key, keys, slots):
    """Return the slot of a number, its own or the free one it would get."""
    slot = first_slot(key, len(slots))
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot += 1
        if slot == len(slots):
            slot = 0
    return slot


@njit(cache=True, nogil=True)
def slot_of_letters(letters, start, stop, known, known_start, slots):
    """Return the slot of `letters[start:stop]`, its own or the free one it would get.

    `known` are the letters of all words, one after the other; `known_start` says where
    each begins. There is a power of 2 of slots.
    """
    code = np.uint64(1469598103934665603)  # FNV-1a
    for i in range(start, stop):
        code = (code ^ np.uint64(letters[i])) * np.uint64(1099511628211)
    last = len(slots) - 1
    # the low bits of a product know little of the high ones of its factors
    slot = np.int64((code ^ (code >> np.uint64(29))) & np.uint64(last))
    while slots[slot] >= 0:
        first = known_start[slots[slot]]
        size = known_start[slots[slot] + 1] - first
        if size == stop - start:
            same = 0
            while same < size and known[first + same] == letters[start + same]:
                same += 1
            if same == size:
                break
        slot = (slot + 1) & last
    return slot
