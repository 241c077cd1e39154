"""Which of many things are one, when some pairs are said to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Closure:
    """The sets that pairs add up to."""

    roots: Mapping[str, str]
    """The first named of its set, for each that was named."""

    @classmethod
    def of(cls, entries: Iterable[Sequence[str]]) -> Closure:
        """Return the sets in which all of each entry are one.

        >>> closure = Closure.of([("a", "b"), ("c", "d"), ("b", "c")])
        >>> closure.root("d"), closure.root("e")
        ('a', 'e')
        """
        parent: dict[str, str] = {}
        order: dict[str, int] = {}
        for entry in entries:
            for name in entry:
                order.setdefault(name, len(order))
                parent.setdefault(name, name)
            first = _top(parent, entry[0])
            for name in entry[1:]:
                ends = sorted((first, _top(parent, name)), key=order.__getitem__)
                first = parent[ends[1]] = ends[0]
        return cls({name: _top(parent, name) for name in parent})

    def root(self, name: str) -> str:
        """Return what stands for a name: itself, if nothing was said of it."""
        return self.roots.get(name, name)


def _top(parent: dict[str, str], name: str) -> str:
    top = name
    while parent[top] != top:
        top = parent[top]
    while parent[name] != top:  # the next search is short
        parent[name], name = top, parent[name]
    return top
