"""Communities of a small graph by the letter of Louvain's method, as plain dicts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from tests.reference.alike import Pair, Shown, share
from ustory.links import joining
from ustory.links.louvain import BELONGS, ENOUGH
from ustory.links.outlets import FULL

Graph = Mapping[int, Mapping[int, float]]
"""Weight of each edge, both ways; a loop is there once, with its weight twice."""

Labels = dict[int, int]
"""The community of each node."""

GAIN = 1e-9
SWEEPS = 100


def degree(graph: Graph, node: int) -> float:
    """Return the weight of all that ends in a node."""
    return sum(graph[node].values())


def modularity(graph: Graph, label: Mapping[int, int]) -> float:
    """Return Σ (A_ij − k_i k_j / 2m) / 2m over all pairs of one community."""
    total = sum(degree(graph, node) for node in graph)
    found = 0.0
    for one in graph:
        for other in graph:
            if label[one] == label[other]:
                expected = degree(graph, one) * degree(graph, other) / total
                found += (graph[one].get(other, 0.0) - expected) / total
    return found


def _gain(graph: Graph, node: int, community: int, label: Mapping[int, int]) -> float:
    """Return what a node adds to a community, in weight of links."""
    others = [other for other in graph if label[other] == community and other != node]
    total = sum(degree(graph, other) for other in graph)
    towards = sum(graph[node].get(other, 0.0) for other in others)
    inside = sum(degree(graph, other) for other in others)
    return towards - degree(graph, node) * inside / total


def _best(graph: Graph, node: int, label: Mapping[int, int]) -> int:
    """Return where a node adds most: where it is, or else the smallest label."""
    own = label[node]
    near = {label[other] for other in graph[node]} | {own}
    gains = {community: _gain(graph, node, community, label) for community in near}
    most = max(gains.values())
    if gains[own] >= most - GAIN:
        return own
    return min(community for community in near if gains[community] > most - GAIN)


def moved(graph: Graph, label: Mapping[int, int], free: Iterable[int]) -> Labels:
    """Return the labels once free nodes, visited in order, have nothing to gain."""
    found = dict(label)
    order = sorted(free)
    for _ in range(SWEEPS):
        before = dict(found)
        for node in order:
            found[node] = _best(graph, node, found)
        if found == before:
            break
    return found


def folded(graph: Graph, label: Mapping[int, int]) -> Graph:
    """Return the graph whose nodes are the communities."""
    found: dict[int, dict[int, float]] = {label[node]: {} for node in graph}
    for node in graph:
        row = found[label[node]]
        for other, weight in graph[node].items():
            row[label[other]] = row.get(label[other], 0.0) + weight
    return found


def numbered(label: Mapping[int, int]) -> Labels:
    """Return the labels as 0, 1, … in order of first use."""
    number: dict[int, int] = {}
    for node in sorted(label):
        number.setdefault(label[node], len(number))
    return {node: number[label[node]] for node in label}


def communities(graph: Graph) -> Labels:
    """Return the community of each node: move, fold, and again until none moves."""
    found = {node: node for node in graph}
    while True:
        label = moved(graph, {node: node for node in graph}, graph)
        if all(label[node] == node for node in graph):
            return found
        label = numbered(label)
        found = {node: label[found[node]] for node in found}
        graph = folded(graph, label)


def graph_of(nodes: int, edges: Mapping[tuple[int, int], float]) -> Graph:
    """Return the graph of some weighted pairs."""
    found: dict[int, dict[int, float]] = {node: {} for node in range(nodes)}
    for (one, other), weight in edges.items():
        found[one][other] = found[other][one] = weight
    return found


def parts(graph: Graph) -> list[list[int]]:
    """Return the connected parts, each ascending, in order of their first node."""
    seen: set[int] = set()
    found: list[list[int]] = []
    for node in sorted(graph):
        if node in seen:
            continue
        inside, waiting = {node}, [node]
        while waiting:
            for other in graph[waiting.pop()]:
                if other not in inside:
                    inside.add(other)
                    waiting.append(other)
        seen |= inside
        found.append(sorted(inside))
    return found


def divided(
    graph: Graph,
    standing: Sequence[int | None],
    margin: float,
    fresh: Collection[int] | None = None,
) -> list[list[int]]:
    """Return the groups of all nodes, in order of their first.

    `standing` is the group that each node is in so far, None for a new one. Parts
    without a fresh node are grouped as they stand.
    """
    found: list[list[int]] = []
    still: dict[int, list[int]] = {}
    for part in parts(graph):
        if fresh is not None and not set(part) & set(fresh):
            for node in part:
                group = standing[node]
                still.setdefault(-1 - node if group is None else group, []).append(node)
        elif len(part) < 3:
            found.append(part)
        else:
            label = _of_part(graph, part, standing, margin)
            found += [
                [node for node in part if label[node] == community]
                for community in set(label.values())
            ]
    return sorted([*found, *(sorted(nodes) for nodes in still.values())])


def touched(graph: Graph, fresh: Collection[int]) -> set[int]:
    """Return the nodes of the parts that have a fresh one."""
    return {n for part in parts(graph) if set(part) & set(fresh) for n in part}


def _of_part(
    graph: Graph, part: Sequence[int], standing: Sequence[int | None], margin: float
) -> Labels:
    place = {node: i for i, node in enumerate(part)}
    inside = {
        place[node]: {place[other]: weight for other, weight in graph[node].items()}
        for node in part
    }
    fresh = communities(inside)
    stood = [standing[node] for node in part]
    free = [i for i, group in enumerate(stood) if group is None]
    if len(free) < len(part):
        old = sorted({group for group in stood if group is not None})
        label = {i: len(old) + n for n, i in enumerate(free)}
        label |= {i: old.index(g) for i, g in enumerate(stood) if g is not None}
        kept = moved(inside, label, free)
        links = sum(degree(inside, node) for node in inside) / 2
        gain = modularity(inside, fresh) - modularity(inside, kept)
        if gain * links <= margin:
            fresh = kept
    fresh = tight(inside, fresh, stood)
    return {node: fresh[place[node]] for node in part}


def tight(
    graph: Graph, label: Mapping[int, int], standing: Sequence[int | None]
) -> Labels:
    """Return the labels once no article hangs on the others of its group by little.

    The loosest leaves first, the newest among equals; two stay together. An article
    that stood where most of its group did stays.
    """
    found = dict(label)
    for community in sorted(set(label.values())):
        group = [node for node in sorted(graph) if label[node] == community]
        at_home = home(group, standing)
        while len(group) > 2:
            held = {
                node: sum(
                    w for other, w in sorted(graph[node].items()) if other in group
                )
                for node in group
            }
            may_go = [n for n in group if at_home is None or standing[n] != at_home]
            if not may_go:
                break
            loosest = min(may_go, key=lambda node: (held[node], -node))
            if held[loosest] >= BELONGS * min(len(group) - 1, ENOUGH):
                break
            group.remove(loosest)
            found[loosest] = max(found.values()) + 1
    return found


def home(group: Sequence[int], standing: Sequence[int | None]) -> int | None:
    """Return the story that most of a group stood in."""
    stood = Counter(standing[node] for node in group if standing[node] is not None)
    return min(stood, key=lambda story: (-stood[story], story), default=None)


def mean_odds(
    one: Sequence[int], other: Sequence[int], links: Mapping[Pair, float]
) -> float | None:
    """Return the mean log-odds between two groups, None if there is no link."""
    found = [
        min(max(odds, joining.QUIETEST), joining.LOUDEST)
        for (a, b), odds in links.items()
        if (a in one and b in other) or (a in other and b in one)
    ]
    if not found:
        return None
    small, large = sorted((len(one), len(other)))
    without = max(small * min(large, joining.ENOUGH) - len(found), 0)
    return (sum(found) + joining.UNLINKED * without) / (len(found) + without)


def counted(groups: Iterable[Sequence[int]], outlet: Sequence[int]) -> list[float]:
    """Return how much each article counts in its group: an outlet at most as `FULL`."""
    found = [0.0] * len(outlet)
    for group in groups:
        held = Counter(outlet[node] for node in group)
        for node in group:
            found[node] = min(1.0, FULL / held[outlet[node]])
    return found


def excess(
    one: Sequence[int],
    other: Sequence[int],
    likeness: tuple[float, float],
    mean: float,
    said: float,
) -> float:
    """Return by how much two groups are more alike than is asked of their kind."""
    alike, by_words = likeness
    small, large = sorted((len(one), len(other)))
    found = joining.SIZE * math.log(min(large, joining.ENOUGH))
    if small <= joining.FEW:
        return found + (
            joining.LIKENESS * alike + joining.LINKS * mean - joining.BY_LINKS
        )
    few = math.sqrt(1 / small + 1 / large)
    asked = joining.ALIKE - joining.SHORT_TEXTS * (1 - said)
    asked -= joining.ACROSS * (1 - by_words)
    return found + alike - joining.SMALL_SAMPLE * few - asked


def least_odds(one: Sequence[int], other: Sequence[int], habit: float) -> float:
    """Return the mean log-odds from which two groups may be one."""
    if min(len(one), len(other)) <= joining.FEW:
        return joining.LEAST_OF_FEW
    return joining.LEAST - 3 * max(habit, 0.0)


def united(
    groups: Sequence[Sequence[int]],
    standing: Sequence[int | None],
    links: Mapping[Pair, float],
    shown: Sequence[Shown],
    says: Sequence[float],
    outlet: Sequence[int],
    touched: Collection[int] | None = None,
) -> list[list[int]]:
    """Return the groups once no two are one story.

    `says` is the reliability of the words of each article. An outlet counts in a
    group as few articles, however many it has there before any are joined. Two
    groups of nodes that are not touched stay two.
    """
    counts = counted(groups, outlet)
    kept = {i: list(group) for i, group in enumerate(groups)}
    stood = {i: home(group, standing) for i, group in kept.items()}
    while True:
        alike: dict[Pair, float] = {}
        for a, b in combinations(sorted(kept), 2):
            one, other = kept[a], kept[b]
            mean = mean_odds(one, other, links)
            if touched is not None and not {*one, *other} & set(touched):
                continue
            if mean is None or max(len(one), len(other)) == 1:
                continue
            habit = 0.0
            if stood[a] is not None and stood[b] is not None:
                habit = joining.HABIT if stood[a] == stood[b] else -joining.HABIT
            both = [*one, *other]
            said = sum(says[node] * counts[node] for node in both)
            said /= sum(counts[node] for node in both)
            ratio = share(one, other, shown, counts)
            found = habit + excess(one, other, ratio, mean, said)
            if mean >= least_odds(one, other, habit) and found >= 0:
                alike[a, b] = found
        if not alike:
            return sorted(sorted(group) for group in kept.values())
        a, b = min(alike, key=lambda pair: (-alike[pair], pair))
        kept[a] += kept.pop(b)
