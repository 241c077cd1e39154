"""Keeps story ids across windows that are clustered anew each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ustory_bench.baselines.windowed import Memory, Turn


def matched_stories(
    groups: Sequence[Sequence[str]], turn: Turn[Memory]
) -> dict[str, str | None]:
    """Return a story for every article of the window; those in no group have none.

    A group takes the id of the old story with which it shares most articles. An
    old id goes to one group only: the one with the larger share, then the older
    id, then the group named first. Groups without an old id get new ones, in the
    order given; give them in an order that does not depend on chance.
    """
    claims = [
        (-shared, old, number)
        for number, group in enumerate(groups)
        for old, shared in _shared(group, turn.story).items()
    ]
    name: dict[int, str] = {}
    taken: set[str] = set()
    for _, old, number in sorted(claims):
        if number not in name and old not in taken:
            name[number] = old
            taken.add(old)
    found: dict[str, str | None] = dict.fromkeys(turn.documents)
    for number, group in enumerate(groups):
        story = name[number] if number in name else turn.new_story()
        found.update(dict.fromkeys(group, story))
    return found


def _shared(group: Sequence[str], story: Mapping[str, str | None]) -> Counter[str]:
    held = [story.get(article) for article in group]
    return Counter(old for old in held if old is not None)
