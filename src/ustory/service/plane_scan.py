"""Compiled loops of t-SNE: neighbours, affinities and forces."""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# The callers in service/plane.py type the arrays.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201

_HALVINGS = 40


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def find_nearest(unit, nearest, cosine):
    """Write the nearest rows of each row by cosine, the nearest first.

    Of equally near rows the first in the table comes first.
    """
    rows, dim = unit.shape
    keep = nearest.shape[1]
    for i in range(rows):
        cosine[i] = -2.0
        for j in range(rows):
            if j == i:
                continue
            near = np.float32(0.0)
            for d in range(dim):
                near += unit[i, d] * unit[j, d]
            place = keep
            while place > 0 and cosine[i, place - 1] < near:
                if place < keep:
                    cosine[i, place] = cosine[i, place - 1]
                    nearest[i, place] = nearest[i, place - 1]
                place -= 1
            if place < keep:
                cosine[i, place] = near
                nearest[i, place] = j


@njit(cache=True, nogil=True)
def find_affinities(cosine, perplexity, share):
    """Write the affinity of each row to its neighbours, summing to 1.

    Affinity is a Gaussian of distance; its width gives each row the same effective
    number of neighbours, the perplexity.
    """
    wanted = np.log(perplexity)
    rows, keep = cosine.shape
    for i in range(rows):
        low, high, beta = 0.0, np.inf, 1.0
        for _ in range(_HALVINGS):
            total = 0.0
            mean = 0.0
            for j in range(keep):
                far = 2.0 * (cosine[i, 0] - cosine[i, j])
                share[i, j] = np.exp(-beta * far)
                total += share[i, j]
                mean += far * share[i, j]
            entropy = np.log(total) + beta * mean / total
            if entropy > wanted:
                low = beta
                beta = 2.0 * beta if high == np.inf else (beta + high) / 2.0
            else:
                high = beta
                beta = (beta + low) / 2.0
        total = 0.0
        for j in range(keep):
            total += share[i, j]
        for j in range(keep):
            share[i, j] /= total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def find_forces(x, y, links, pull, out):
    """Write the force on each point: towards its neighbours, away from all others.

    `links` are the rows of a sparse table: start, column and weight. The forces are
    those of t-SNE, with attraction times `pull`. float32 is twice as fast.
    """
    start, column, weight = links
    rows = len(x)
    one = np.float32(1.0)
    away_x, away_y = np.zeros(rows), np.zeros(rows)
    total = 0.0
    for i in range(rows):
        push_x, push_y, near = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        for j in range(rows):
            dx = x[i] - x[j]
            dy = y[i] - y[j]
            close = one / (one + dx * dx + dy * dy)
            near += close
            push_x += close * close * dx
            push_y += close * close * dy
        total += float(near) - 1.0  # itself
        away_x[i] = push_x
        away_y[i] = push_y
    for i in range(rows):
        to_x, to_y = 0.0, 0.0
        for at in range(start[i], start[i + 1]):
            dx = x[i] - x[column[at]]
            dy = y[i] - y[column[at]]
            held = weight[at] / (1.0 + dx * dx + dy * dy)
            to_x += held * dx
            to_y += held * dy
        out[i, 0] = 4.0 * (away_x[i] / total - pull * to_x)
        out[i, 1] = 4.0 * (away_y[i] / total - pull * to_y)
