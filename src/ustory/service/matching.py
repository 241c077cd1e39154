"""Which new story goes on as which old one: those that share most articles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def same_stories(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return for new stories the old one that each goes on as.

    `old` and `new` say the story of each article. Two stories are the same where
    each shares more articles with the other than with any third; of equals the one
    with the lower id counts. So every story that keeps most of its articles, and
    has few others, keeps its id.

    >>> same_stories({"a": "s1", "b": "s1", "c": "s2"}, {"a": "n1", "b": "n1"})
    {'n1': 's1'}
    """
    shared = Counter((old[a], new[a]) for a in old.keys() & new.keys())
    best_new: dict[str, tuple[int, str]] = {}
    best_old: dict[str, tuple[int, str]] = {}
    for (before, after), count in shared.items():
        best_new[before] = min(best_new.get(before, (0, "")), (-count, after))
        best_old[after] = min(best_old.get(after, (0, "")), (-count, before))
    return {
        after: before
        for after, (_, before) in sorted(best_old.items())
        if best_new[before][1] == after
    }


def heirs(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return for each old story the new one that has most of its articles.

    Stories none of whose articles are in a story any more are left out.
    """
    shared = Counter((old[a], new[a]) for a in old.keys() & new.keys())
    found: dict[str, tuple[int, str]] = {}
    for (before, after), count in shared.items():
        found[before] = min(found.get(before, (0, "")), (-count, after))
    return {before: after for before, (_, after) in sorted(found.items())}
