"""The graph of a guided window: some articles are one node, watched stories are too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.links.groups import linked_with
from ustory.links.guidance import Guidance
from ustory.links.joining import GroupEvidence
from ustory.links.watched_matcher import WatchedMatch

LOUD = 5.0
"""How many sure links a sure match with a watched story is worth."""


@dataclass(frozen=True, slots=True)
class LinkedWindow:
    """The articles that are to be grouped, and their links."""

    names: Sequence[str]
    """Article ids by row, in order of their serial numbers."""
    pairs: tuple[Indices, Indices]
    """Rows of linked articles."""
    weight: Vector
    before: Mapping[str, str]
    """The story of each article that had one."""
    evidence: GroupEvidence
    """All links, faint ones too, and the words of the articles."""
    fresh: Mask | None = None
    """Which articles are new; all are, unless given."""
    is_open: Mask | None = None
    """Whose place is open wherever something new has come; nobody's, unless given."""


@dataclass(frozen=True, slots=True)
class ConstraintGraph:
    """Nodes of articles in order of their first, then one per watched story."""

    window: LinkedWindow
    rows: Sequence[Sequence[int]]
    """Articles of each node; none for a watched story."""
    keys: Mapping[str, str]
    """By name of a watched story that is a node, what stands for it among ids."""
    pairs: tuple[Indices, Indices]
    weight: Vector
    before: Mapping[str, str]
    """The story of articles, of those that must go on with it, and of the watched."""
    standing: Indices
    """(nodes) number of the story each was in, -1 for none."""
    touched: Mask
    """(nodes) which are linked, over any number of links, with one that is fresh."""
    placed: Indices
    """(nodes) as `standing`, but -1 also for those whose place is open."""
    of_story: Mapping[str, Sequence[int]]
    """The nodes that stood in each story."""
    pinned: Mapping[int, str]
    """Nodes that are together with an article that left, and its story."""
    apart: Sequence[tuple[int, int]]
    """Nodes that are never in one group."""
    shut_out: Sequence[tuple[int, str]]
    """Nodes that are apart from an article that left, and its story."""

    @classmethod
    def of(
        cls,
        window: LinkedWindow,
        guidance: Guidance,
        matches: Mapping[str, WatchedMatch],
        stories: Mapping[str, str],
        departed: Mapping[str, str],
    ) -> ConstraintGraph:
        """Return the graph with everything in it that was said of its articles."""
        node, rows = _together(window.names, guidance)
        keys = _keys(window.names, guidance, matches)
        place = dict(zip(window.names, node.tolist(), strict=True))
        pinned = _pinned(guidance, place, departed, set(window.before.values()))
        before = {
            **window.before,
            **{window.names[rows[n][0]]: story for n, story in pinned.items()},
            **{key: stories[name] for name, key in keys.items() if name in stories},
        }
        apart, shut_out = _apart(guidance, place, departed)
        pairs, weight = _edges(window, node, apart)
        hubs, loud = _hubs(window.names, rows, list(keys), matches)
        members = [[window.names[i] for i in part] for part in rows]
        members += [[key] for key in keys.values()]
        standing, of_story = _standing(members, before)
        ends = np.concatenate([pairs[0], hubs[0]]), np.concatenate([pairs[1], hubs[1]])
        said = {*(n for pair in apart for n in pair), *(n for n, _ in shut_out)}
        fresh, is_open = _of_nodes(window, rows, len(members), {*said, *pinned})
        touched = linked_with(len(members), ends, fresh)
        return cls(
            window,
            [*rows, *([] for _ in keys)],
            keys,
            ends,
            np.concatenate([weight, loud]),
            before,
            standing,
            touched,
            np.where(is_open & touched, -1, standing),
            of_story,
            pinned,
            apart,
            shut_out,
        )

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self.rows)

    def members(self, group: Indices) -> list[str]:
        """Return the ids of a group, those of watched stories last; or none at all.

        A watched story without articles is no story.
        """
        articles = sorted(row for node in group.tolist() for row in self.rows[node])
        keys = list(self.keys.values())
        first = self.count - len(keys)
        watched = [keys[node - first] for node in group.tolist() if node >= first]
        return (
            [self.window.names[row] for row in articles] + watched if articles else []
        )

    def size(self, node: int) -> int:
        """Return how many articles a node is."""
        return len(self.rows[node])

    def mates(self, node: int, story: str) -> list[int]:
        """Return the other nodes that stood in a story."""
        return [mate for mate in self.of_story.get(story, ()) if mate != node]

    def graph(self) -> sparse.csr_array:
        """Return the links both ways."""
        one, other = self.pairs
        both = np.concatenate([one, other]), np.concatenate([other, one])
        values = np.concatenate([self.weight, self.weight])
        return sparse.csr_array((values, both), shape=(self.count, self.count))

    def held(self) -> Mask:
        """Return which nodes rather stay when a group is cut."""
        held = np.zeros(self.count, dtype=bool)
        held[list(self.pinned)] = True
        for node, story in self.shut_out:
            held[self.mates(node, story)] = True
        return held

    def apart_in(self, group: Indices) -> Iterator[tuple[int, int]]:
        """Yield pairs of nodes that are in one group and must not be."""
        yield from (p for p in self.apart if group[p[0]] == group[p[1]])
        for node, story in self.shut_out:
            inside = [i for i in self.mates(node, story) if group[i] == group[node]]
            yield from ((i, node) for i in inside[:1])
        watched = range(self.count - len(self.keys), self.count)
        hubs: dict[int, list[int]] = {}
        for node in watched:
            hubs.setdefault(int(group[node]), []).append(node)
        for several in hubs.values():
            yield from combinations(several, 2)


def _together(
    names: Sequence[str], guidance: Guidance
) -> tuple[Indices, list[list[int]]]:
    """Return the node of each row, and the rows of each node."""
    closure = guidance.closure
    number: dict[str, int] = {}
    node = np.empty(len(names), dtype=np.int64)
    rows: list[list[int]] = []
    for row, name in enumerate(names):
        root = closure.root(name)
        if root not in number:
            number[root] = len(rows)
            rows.append([])
        node[row] = number[root]
        rows[number[root]].append(row)
    return node, rows


def _keys(
    names: Sequence[str], guidance: Guidance, matches: Mapping[str, WatchedMatch]
) -> dict[str, str]:
    """Return what stands for each watched story that has a match: no article's id."""
    matched = {match.name for match in matches.values()}
    taken, keys = set(names), {}
    for watched in guidance.watched:
        if watched.name in matched:
            key = f"\0{watched.name}"
            while key in taken:
                key = f"\0{key}"
            keys[watched.name] = key
    return keys


def _pinned(
    guidance: Guidance,
    place: Mapping[str, int],
    departed: Mapping[str, str],
    live: set[str],
) -> dict[int, str]:
    """Return the nodes that must go on in the story of an article that left."""
    closure = guidance.closure
    story: dict[str, str] = {}
    for article, old in departed.items():
        if old in live and article in closure.roots:
            root = closure.root(article)
            story[root] = min(old, story.get(root, old))
    named = {place[a]: closure.root(a) for a in closure.roots if a in place}
    return {n: story[root] for n, root in sorted(named.items()) if root in story}


def _apart(
    guidance: Guidance, place: Mapping[str, int], departed: Mapping[str, str]
) -> tuple[list[tuple[int, int]], list[tuple[int, str]]]:
    """Return nodes that are apart from each other, or from a story."""
    pairs: set[tuple[int, int]] = set()
    shut_out: set[tuple[int, str]] = set()
    for entry in guidance.apart:
        here = sorted(place[a] for a in entry if a in place)
        pairs.update(combinations(here, 2))
        gone = {departed[a] for a in entry if a in departed and a not in place}
        shut_out.update((node, story) for node in here for story in gone)
    return sorted(pairs), sorted(shut_out)


def _edges(
    window: LinkedWindow, node: Indices, apart: Sequence[tuple[int, int]]
) -> tuple[tuple[Indices, Indices], Vector]:
    """Return the links between nodes, without those of nodes that are apart."""
    one, other = node[window.pairs[0]], node[window.pairs[1]]
    low, high = np.minimum(one, other), np.maximum(one, other)
    count = int(node.max(initial=-1)) + 1
    barred = np.array([a * count + b for a, b in apart], dtype=np.int64)
    keep = (low != high) & ~np.isin(low * count + high, barred)
    return (low[keep], high[keep]), window.weight[keep]


def _hubs(
    names: Sequence[str],
    rows: Sequence[Sequence[int]],
    watched: Sequence[str],
    matches: Mapping[str, WatchedMatch],
) -> tuple[tuple[Indices, Indices], Vector]:
    """Return the links of nodes with the watched story that each matches best."""
    place = {name: len(rows) + i for i, name in enumerate(watched)}
    found: list[tuple[int, int, float]] = []
    for node, part in enumerate(rows):
        sure = [m for i in part if (m := matches.get(names[i])) and m.name in place]
        if sure:
            best = max(sure, key=lambda m: (m.strength, -place[m.name]))
            found.append((node, place[best.name], LOUD * best.strength))
    ends = np.array([f[:2] for f in found], dtype=np.int64).reshape(len(found), 2)
    return (ends[:, 0], ends[:, 1]), np.array([f[2] for f in found])


def _of_nodes(
    window: LinkedWindow, rows: Sequence[Sequence[int]], count: int, said: set[int]
) -> tuple[Mask, Mask]:
    """Return which nodes are fresh, and whose place is open.

    Nodes of which something was said are fresh: it may be new.
    """
    fresh, is_open = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
    for node, part in enumerate(rows):
        own = list(part)
        if window.fresh is not None:
            alone = len(part) == 1 and node not in said
            fresh[node] = bool(window.fresh[own].any()) or not alone
        if window.is_open is not None:
            is_open[node] = bool(window.is_open[own].all())
    return fresh, is_open


def _standing(
    members: Sequence[Sequence[str]], before: Mapping[str, str]
) -> tuple[Indices, dict[str, list[int]]]:
    """Return the number of the story that each node was in, and the nodes of each.

    A node was where its first article was that had a story.
    """
    number = {story: i for i, story in enumerate(sorted(set(before.values())))}
    standing = np.full(len(members), -1, dtype=np.int64)
    of_story: dict[str, list[int]] = {}
    for node, names in enumerate(members):
        story = next((before[name] for name in names if name in before), None)
        if story is not None:
            standing[node] = number[story]
            of_story.setdefault(story, []).append(node)
    return standing, of_story
