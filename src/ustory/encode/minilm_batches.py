"""Sentences that go through all-MiniLM-L6-v2 together, by their number of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BUDGET = 512
"""Tokens of a batch, padding included."""
FIXED_BUDGET = 128
"""The same where shapes are fixed: batches that are not full cost as much as full ones,
so they are small."""
_STEP = 8


class Batch(NamedTuple):
    """Places of sentences, and the (rows, tokens) they are computed in."""

    places: list[int]
    shape: tuple[int, int]


def within_budget(lengths: Sequence[int]) -> Iterator[Batch]:
    """Yield batches, shortest sentences first, as many as fit the budget of tokens.

    Padded to the longest of the batch, that is.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BUDGET:
            yield Batch(batch, (len(batch), lengths[batch[-1]]))
            batch = []
        batch.append(place)
    if batch:
        yield Batch(batch, (len(batch), lengths[batch[-1]]))


def of_fixed_shape(lengths: Sequence[int]) -> Iterator[Batch]:
    """Yield batches whose shape is given by the length of any sentence in them.

    A sentence is computed in the same shape whatever else there is to encode; where
    too few sentences have about its length, rows stay empty.
    """
    alike: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        alike.setdefault(-(-length // _STEP) * _STEP, []).append(place)
    for width, places in sorted(alike.items()):
        rows = max(1, FIXED_BUDGET // width)
        for first in range(0, len(places), rows):
            yield Batch(places[first : first + rows], (rows, width))


def filled(
    tokens: Sequence[Sequence[int]], shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the tokens and their mask as arrays; an empty row has one token."""
    ids = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    mask[:, 0] = 1  # a softmax over nothing is not a number
    for row, sentence in enumerate(tokens):
        ids[row, : len(sentence)] = sentence
        mask[row, : len(sentence)] = 1
    return ids, mask
