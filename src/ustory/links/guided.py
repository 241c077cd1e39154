"""Groups of articles that honour what a user said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ustory.core.arrays import Indices
from ustory.links.constraint_graph import ConstraintGraph, LinkedWindow
from ustory.links.groups import groups
from ustory.links.guidance import Guidance
from ustory.links.ids import carried_on
from ustory.links.joining import homes, joined
from ustory.links.split_group import GroupGraph, parted
from ustory.links.watched_matcher import WatchedMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Guided:
    """What guidance has come to, between two slides."""

    matches: Mapping[str, WatchedMatch] = field(default_factory=dict)
    """The watched story of each article of the window that is of one."""
    stories: Mapping[str, str] = field(default_factory=dict)
    """By name of the watched, the story that it is, or was when last seen."""
    departed: Mapping[str, str] = field(default_factory=dict)
    """Articles of pairs that left the window, with their story, which has not."""

    def after(
        self,
        articles: Mapping[str, object],
        story: Mapping[str, str],
        new: Mapping[str, WatchedMatch],
        guidance: Guidance,
    ) -> Guided:
        """Return the same with old articles out, and the matches of new ones in.

        `articles` are those of the window, `story` what they and those that leave
        are in.
        """
        kept = {a: m for a, m in self.matches.items() if a in articles}
        left = {
            a: story[a]
            for a in sorted(guidance.paired)
            if a in story and a not in articles
        }
        gone = {a: s for a, s in self.departed.items() if a not in articles}
        return replace(self, matches={**kept, **new}, departed={**gone, **left})


def watched_names(guided: Guided, story: Mapping[str, str]) -> dict[str, str]:
    """Return by story the name of the watched one it is; `story` is of articles.

    A story has the name while an article in it speaks of the watched one: what is
    left when all of these are gone may have drifted elsewhere.
    """
    spoken = {(match.name, story.get(a)) for a, match in guided.matches.items()}
    return {s: name for name, s in guided.stories.items() if (name, s) in spoken}


def guided_stories(
    window: LinkedWindow,
    guided: Guided,
    guidance: Guidance,
    new_story: Callable[[], str],
) -> tuple[dict[str, str], Guided]:
    """Return the story of each article that has one, and what to remember.

    Articles that are together are one node of the graph before it is divided, so
    no division can part them; links between articles that are apart are taken
    out, and groups in which they meet all the same are cut. A watched story is a
    node of its own, linked with the articles that match it and apart from other
    watched ones: the group it falls into is the story. It remembers its story, so
    a watched one that comes back after weeks is the same story still.
    """
    nodes = ConstraintGraph.of(
        window, guidance, guided.matches, guided.stories, guided.departed
    )
    found = groups(
        nodes.count, nodes.pairs, nodes.weight, nodes.placed, touched=nodes.touched
    )
    found = _cut(_moved(_joined(found, nodes), nodes), nodes)
    named = [members for g in found if (members := nodes.members(g))]
    story = carried_on(named, nodes.before, new_story)
    return _placed(story, nodes, guided)


def _joined(found: Sequence[Indices], nodes: ConstraintGraph) -> list[Indices]:
    """Join groups that are one story, unless articles would meet that are apart."""
    number = _numbers(found, nodes.count)
    group = np.empty(len(nodes.window.names), dtype=np.int64)
    for node, rows in enumerate(nodes.rows):
        group[list(rows)] = number[node]
    moves = np.array([bool(nodes.touched[each[0]]) for each in found], dtype=bool)
    home = homes(found, nodes.placed)
    first = joined(group, home, nodes.window.evidence, moves)
    meet = {int(first[number[one]]) for one, _ in nodes.apart_in(first[number])}
    own = np.arange(len(found))
    first = np.where(np.isin(first, sorted(meet)), own, first)
    return [np.flatnonzero(first[number] == each) for each in np.unique(first)]


def _moved(found: Sequence[Indices], nodes: ConstraintGraph) -> list[Indices]:
    """Move nodes that are together with an article that left to where its story is."""
    if not nodes.pinned:
        return list(found)
    group = _numbers(found, nodes.count)
    for node, story in nodes.pinned.items():
        mates = nodes.mates(node, story)
        if mates:
            # the group that goes on as the story: it has most of its articles
            sizes: Counter[int] = Counter()
            for mate in mates:
                sizes[int(group[mate])] += nodes.size(mate)
            group[node] = min(sizes, key=lambda g: (-sizes[g], g))
    return [np.flatnonzero(group == g) for g in np.unique(group)]


def _cut(found: Sequence[Indices], nodes: ConstraintGraph) -> list[Indices]:
    """Return the groups with everything apart that must be."""
    group = _numbers(found, nodes.count)
    pairs: dict[int, list[tuple[int, int]]] = {}
    for one, other in nodes.apart_in(group):
        pairs.setdefault(int(group[one]), []).append((one, other))
    if not pairs:
        return list(found)
    web = GroupGraph(nodes.graph(), nodes.standing, nodes.held())
    parts: list[Indices] = []
    for number, rows in enumerate(found):
        parts += parted(rows, pairs[number], web) if number in pairs else [rows]
    return sorted(parts, key=lambda rows: int(rows[0]))


def _numbers(found: Sequence[Indices], count: int) -> Indices:
    group = np.empty(count, dtype=np.int64)
    for number, rows in enumerate(found):
        group[rows] = number
    return group


def _placed(
    story: Mapping[str, str], nodes: ConstraintGraph, guided: Guided
) -> tuple[dict[str, str], Guided]:
    """Take watched stories out again, and note which story each is."""
    taken = {name: story[key] for name, key in nodes.keys.items() if key in story}
    kept = {n: s for n, s in guided.stories.items() if s not in taken.values()}
    keys = set(nodes.keys.values())
    placed = {article: s for article, s in story.items() if article not in keys}
    live = set(placed.values())
    departed = {}
    for article, old in guided.departed.items():
        now = old if old in live else _heir(old, nodes.window.before, placed)
        if now is not None:
            departed[article] = now
    return placed, replace(guided, stories={**kept, **taken}, departed=departed)


def _heir(old: str, before: Mapping[str, str], after: Mapping[str, str]) -> str | None:
    """Return the story that most articles of one that ended are in now."""
    sizes = Counter(after[a] for a, s in before.items() if s == old and a in after)
    return min(sizes, key=lambda s: (-sizes[s], s), default=None)
