"""Compiled: what two articles have in common of ascending keys."""

from __future__ import annotations

from ustory.core.kernels import njit

# Arrays are typed where these are called: links/evidence/names.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201


@njit(cache=True, nogil=True)
def shared_weights(keys, start, weight, first, second, out):
    """Fill `out` with the weight of the keys that both of each pair of rows have.

    `keys` are those of all rows, one row behind the other from `start` on, ascending in
    each; `weight` is that of each.
    """
    for pair in range(len(first)):
        one, other = start[first[pair]], start[second[pair]]
        end, last = start[first[pair] + 1], start[second[pair] + 1]
        total = 0.0
        while one < end and other < last:
            if keys[one] == keys[other]:
                total += weight[one]
                one += 1
                other += 1
            elif keys[one] < keys[other]:
                one += 1
            else:
                other += 1
        out[pair] = total
