"""Communities of a weighted graph: modularity, grown by local moves (Louvain)."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.kernels import njit

# Arrays of the compiled functions are typed by the two functions at the end.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN202, C901, PLR0915

GAIN = 1e-9
"""A smaller gain is noise of summing: it moves nobody."""


MIN_GROUP = 3
"""Articles from which a connected part can be divided, or lose one: a pair has but
one link."""

BELONGS = 0.1
"""Mean probability of sharing a story with the others of its group from which an
article stays in it; a pair without a link counts as 0."""

ENOUGH = 20
"""Others that count at most: in a large group no article is linked with all."""


@njit(cache=True, nogil=True)
def _move(start, other, weight, loops, label, free):
    """Move free nodes to the neighbouring community of most gain until none gains.

    Nodes are visited in order, ties go to the smallest label; `label` is changed.
    Returns whether any node moved.
    """
    nodes = len(start) - 1
    degree = np.zeros(nodes)
    for node in range(nodes):
        degree[node] = loops[node]
        for at in range(start[node], start[node + 1]):
            degree[node] += weight[at]
    total = degree.sum()
    inside = np.zeros(nodes)
    for node in range(nodes):
        inside[label[node]] += degree[node]
    towards = np.zeros(nodes)
    moved = False
    for _ in range(100):
        again = False
        for node in range(nodes):
            if not free[node]:
                continue
            own = label[node]
            for at in range(start[node], start[node + 1]):
                towards[label[other[at]]] += weight[at]
            inside[own] -= degree[node]
            best = own
            most = towards[own] - degree[node] * inside[own] / total
            for at in range(start[node], start[node + 1]):
                near = label[other[at]]
                gain = towards[near] - degree[node] * inside[near] / total
                if gain > most + GAIN or (gain > most - GAIN and near < best != own):
                    most, best = max(gain, most), near
            inside[best] += degree[node]
            for at in range(start[node], start[node + 1]):
                towards[label[other[at]]] = 0.0
            if best != own:
                label[node] = best
                again = moved = True
        if not again:
            break
    return moved


@njit(cache=True, nogil=True)
def _numbered(label):
    """Return labels from 0 on in order of first use, and how many there are."""
    number = np.full(len(label), -1, dtype=np.int64)
    found = np.empty(len(label), dtype=np.int64)
    count = 0
    for node in range(len(label)):
        if number[label[node]] < 0:
            number[label[node]] = count
            count += 1
        found[node] = number[label[node]]
    return found, count


@njit(cache=True, nogil=True)
def _folded(start, other, weight, loops, label, count):
    """Return the graph whose nodes are the communities."""
    first = np.zeros(count + 1, dtype=np.int64)
    for node in range(len(label)):
        first[label[node] + 1] += 1
    for i in range(count):
        first[i + 1] += first[i]
    member = np.empty(len(label), dtype=np.int64)
    place = first[:-1].copy()
    for node in range(len(label)):
        member[place[label[node]]] = node
        place[label[node]] += 1
    new_start = np.zeros(count + 1, dtype=np.int64)
    new_other = np.empty(len(other), dtype=np.int64)
    new_weight = np.empty(len(weight))
    new_loops = np.zeros(count)
    towards = np.zeros(count)
    touched = np.empty(count, dtype=np.int64)
    end = 0
    for community in range(count):
        number = 0
        for i in range(first[community], first[community + 1]):
            node = member[i]
            new_loops[community] += loops[node]
            for at in range(start[node], start[node + 1]):
                near = label[other[at]]
                if near == community:
                    new_loops[community] += weight[at]
                    continue
                if towards[near] == 0.0:
                    touched[number] = near
                    number += 1
                towards[near] += weight[at]
        for i in range(number):
            new_other[end] = touched[i]
            new_weight[end] = towards[touched[i]]
            towards[touched[i]] = 0.0
            end += 1
        new_start[community + 1] = end
    return new_start, new_other[:end], new_weight[:end], new_loops


@njit(cache=True, nogil=True)
def _communities(start, other, weight):
    nodes = len(start) - 1
    found = np.arange(nodes)
    loops = np.zeros(nodes)
    while True:
        count = len(start) - 1
        label = np.arange(count)
        moved = _move(start, other, weight, loops, label, np.ones(count, np.bool_))
        if not moved:
            return found
        label, count = _numbered(label)
        for node in range(nodes):
            found[node] = label[found[node]]
        start, other, weight, loops = _folded(start, other, weight, loops, label, count)


@njit(cache=True, nogil=True)
def _modularity(start, other, weight, label):
    nodes = len(start) - 1
    degree = np.zeros(nodes)
    within = 0.0
    for node in range(nodes):
        for at in range(start[node], start[node + 1]):
            if label[other[at]] == label[node]:
                within += weight[at]
            degree[label[node]] += weight[at]
    total = degree.sum()
    return within / total - (degree * degree).sum() / (total * total)


def communities(start: Indices, other: Indices, weight: Vector) -> Indices:
    """Return the community of each node of one connected graph (Blondel et al. 2008).

    Node i has the edges `start[i]` to `start[i + 1]`; every edge is there both
    ways. Nodes are visited in order, never shuffled: equal graphs, equal answers.
    """
    found: Indices = _communities(start, other, weight)
    return found


def settled(
    start: Indices, other: Indices, weight: Vector, label: Indices, free: Mask
) -> Indices:
    """Return a partition with its free nodes moved to where they add most."""
    moved = label.copy()
    _move(start, other, weight, np.zeros(len(start) - 1), moved, free)
    return moved


def modularity(start: Indices, other: Indices, weight: Vector, label: Indices) -> float:
    """Return the share of weight inside communities, less what chance would give."""
    return float(_modularity(start, other, weight, label))


def prune_weak(
    start: Indices, other: Indices, weight: Vector, label: Indices, stays: Mask
) -> Indices:
    """Return labels under which weakly held articles are by themselves.

    Of each group the weakest article leaves, among equals the newest, as long as it
    is below `BELONGS`: modularity alone puts whatever has one doubtful link into a
    group, however large the group is. Nodes that `stays` marks do not leave.
    """
    found = label.copy()
    order = np.argsort(label, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(label[order])) + 1, len(order))
    _prune((start, other, weight), found, order, ends, BELONGS, stays)
    return found


@njit(cache=True, nogil=True)
def _prune(edges, label, order, ends, least, stays):
    """Give weakly held articles labels of their own; `order` lists the groups."""
    fresh = label.max() + 1
    first = 0
    for end in ends:
        group = order[first:end]
        own = label[group[0]]
        size = end - first
        while size >= MIN_GROUP:
            others = min(size - 1, ENOUGH)
            weakest = _weakest(edges, label, group, own, least * others, stays)
            if weakest < 0:
                break
            label[weakest] = fresh
            fresh += 1
            size -= 1
        first = end


@njit(cache=True, nogil=True)
def _weakest(edges, label, group, own, least, stays):
    """Return who of a group is held least, -1 if nobody is held by less."""
    start, other, weight = edges
    found = -1
    for node in group:
        if label[node] != own or stays[node]:
            continue
        held = 0.0
        for edge in range(start[node], start[node + 1]):
            if label[other[edge]] == own:
                held += weight[edge]
        if held < least or (found >= 0 and held == least):
            found, least = node, held
    return found
