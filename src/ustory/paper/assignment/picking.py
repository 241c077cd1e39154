"""The hot loops of seeding, compiled: k-means++ on a table of all distances."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arrays are typed where these are called: paper/seeding/kmeans.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202


@njit(cache=True, nogil=True)
def pick_centres(distances, draws, tie, chosen):
    """Choose centres: each the best of a few that are far from those before.

    `draws` (k, tries) are uniform random numbers. Stops early when every row is a
    copy of a centre.
    """
    last = len(distances) - 1
    tries = draws.shape[1]
    sums = np.empty(tries)
    places = np.empty(tries, dtype=np.int64)
    chosen[0] = min(np.int64(draws[0, 0] * len(distances)), last)
    nearest = distances[chosen[0]].copy()
    reach = np.empty(len(distances))
    for i in range(1, len(draws)):
        total = 0.0
        for row in range(len(nearest)):
            total += nearest[row]
            reach[row] = total
        if total <= 0.0:
            return
        for t in range(tries):
            aim = np.searchsorted(reach, draws[i, t] * total, side="right")
            places[t] = min(aim, last)
            sums[t] = _sum_nearest(distances[places[t]], nearest)
        lowest = sums.min()
        best = 0
        while sums[best] > lowest + tie:
            best += 1
        chosen[i] = places[best]
        theirs = distances[places[best]]
        for row in range(len(nearest)):
            nearest[row] = min(nearest[row], theirs[row])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nnan", "nsz"})
def _sum_nearest(one, other):
    total = 0.0
    for i in range(len(one)):
        total += min(one[i], other[i])
    return total


@njit(cache=True, nogil=True)
def nearest_centres(distances, chosen, tie, label):
    """Label each row with the first centre within `tie` of its nearest.

    Returns the sum of the distances to the nearest centres.
    """
    total = 0.0
    lowest = distances[chosen[0]].copy()
    for i in range(1, len(chosen)):
        theirs = distances[chosen[i]]
        for row in range(len(lowest)):
            lowest[row] = min(lowest[row], theirs[row])
    label[:] = -1
    for i in range(len(chosen)):
        theirs = distances[chosen[i]]
        for row in range(len(lowest)):
            if label[row] < 0 and theirs[row] <= lowest[row] + tie:
                label[row] = i
    for row in range(len(lowest)):
        total += lowest[row]
    return total
