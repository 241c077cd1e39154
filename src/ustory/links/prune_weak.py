"""Articles that hang on their group by too little are let go."""

from __future__ import annotations

import numpy as np
from numba import njit

from ustory.core.arrays import Indices, Vector

# Arrays of the compiled function are typed by `without_loose`.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN202

BELONGS = 0.1
"""Mean probability of being of one story with the others of its group from which an
article belongs there; a pair without a link counts as 0."""

ENOUGH = 20
"""Others that are asked at most: in a large group nobody is linked with all."""

SMALLEST = 3
"""Articles from which a group can let one go: a pair is held by its one link."""


def without_loose(
    start: Indices, other: Indices, weight: Vector, label: Indices
) -> Indices:
    """Return labels under which loose articles are by themselves.

    Of each group the loosest article leaves, among equals the newest, as long as it
    is below `BELONGS`: modularity alone puts whatever has one doubtful link into a
    group, however large the group is.
    """
    found = label.copy()
    order = np.argsort(label, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(label[order])) + 1, len(order))
    _let_go((start, other, weight), found, order, ends, BELONGS)
    return found


@njit(cache=True, nogil=True)
def _let_go(edges, label, order, ends, least):
    """Give loose articles labels of their own; `order` lists groups one by one."""
    fresh = label.max() + 1
    first = 0
    for end in ends:
        group = order[first:end]
        own = label[group[0]]
        size = end - first
        while size >= SMALLEST:
            asked = min(size - 1, ENOUGH)
            loosest = _loosest(edges, label, group, own, least * asked)
            if loosest < 0:
                break
            label[loosest] = fresh
            fresh += 1
            size -= 1
        first = end


@njit(cache=True, nogil=True)
def _loosest(edges, label, group, own, least):
    """Return who of a group is held least, -1 if nobody is held by less."""
    start, other, weight = edges
    found = -1
    for node in group:
        if label[node] != own:
            continue
        held = 0.0
        for edge in range(start[node], start[node + 1]):
            if label[other[edge]] == own:
                held += weight[edge]
        if held < least or (found >= 0 and held == least):
            found, least = node, held
    return found
