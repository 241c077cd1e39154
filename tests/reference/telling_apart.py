"""Groups that fall apart by links and by words, part by part and pair by pair."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from tests.reference.alike import Pair, Shown, share
from tests.reference.communities import (
    communities,
    counted,
    graph_of,
    modularity,
)
from ustory.links.telling_apart import CLEAR, LARGE, PART, UNLIKE


def told_apart(
    groups: Sequence[Sequence[int]],
    edges: Mapping[Pair, float],
    shown: Sequence[Shown],
    outlet: Sequence[int],
    touched: Collection[int] | None = None,
) -> list[list[int]]:
    """Return the groups with those divided that fall apart by links and by words."""
    found: list[list[int]] = []
    for group in groups:
        if len(group) >= LARGE and (touched is None or group[0] in touched):
            found += _parts(sorted(group), edges, shown, outlet)
        else:
            found.append(sorted(group))
    return sorted(found)


def _parts(
    group: Sequence[int],
    edges: Mapping[Pair, float],
    shown: Sequence[Shown],
    outlet: Sequence[int],
) -> list[list[int]]:
    place = {node: i for i, node in enumerate(group)}
    inside = {
        (place[a], place[b]): weight
        for (a, b), weight in edges.items()
        if a in place and b in place
    }
    graph = graph_of(len(group), inside)
    if not inside:
        return [list(group)]
    label = communities(graph)
    if modularity(graph, label) < CLEAR:
        return [list(group)]
    counts = counted([group], outlet)
    parts = [
        [node for node in group if label[place[node]] == each]
        for each in sorted(set(label.values()))
    ]
    while len(parts) > 1:
        alike = {
            (a, b): share(parts[a], parts[b], shown, counts)[0]
            for a, b in combinations(range(len(parts)), 2)
        }
        a, b = min(alike, key=lambda pair: (-alike[pair], pair))
        least = min(range(len(parts)), key=lambda i: (len(parts[i]), i))
        if alike[a, b] < UNLIKE:
            if len(parts[least]) >= PART:
                break
            a, b = min(
                (pair for pair in alike if least in pair),
                key=lambda pair: (-alike[pair], pair),
            )
        parts[a] += parts.pop(b)
    return [sorted(part) for part in parts]
