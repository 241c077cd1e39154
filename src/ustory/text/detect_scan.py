"""The hot loop of language detection, compiled: letters to features."""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# Arrays are typed where these are called: text/detect.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201


@njit(cache=True, nogil=True)
def features(text, rows, row_of, feature_of, seen):
    """Return the features in a text of bytes, in order, and how often each is there.

    `rows` has the next state for each byte of each row, `row_of` the row of a state and
    `feature_of` the feature that is complete there, or -1. `seen` must be all zeros,
    and is left so.
    """
    found = np.empty(len(text), np.int64)
    count = 0
    state = 0
    for byte in text:
        state = rows[(np.int64(row_of[state]) << 8) + byte]
        feature = feature_of[state]
        if feature >= 0:
            if seen[feature] == 0:
                found[count] = feature
                count += 1
            seen[feature] += 1
    times = np.empty(count, np.float64)
    for i in range(count):
        times[i] = seen[found[i]]
        seen[found[i]] = 0
    return found[:count], times
