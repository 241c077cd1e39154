"""Which group carries which story's id on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

MUCH_SMALLER = 0.6
"""An older story gives way to a younger one of which it is a smaller share than that:
most readers know the story under the younger id."""


def age(story: str) -> tuple[int, str]:
    """Return what ids sort by, from old to new: later ones may have more digits."""
    return len(story), story


def carried_on(
    groups: Sequence[Sequence[str]],
    before: Mapping[str, str],
    new_story: Callable[[], str],
    revived: Mapping[int, str] | None = None,
) -> dict[str, str]:
    """Return the story of each article that has one.

    `before` has the articles that had one. A story goes
    on in the group that has most of its articles, and a group goes on as the oldest
    of the stories that do so in it, unless that is much the smaller. An article by
    itself that carries no story on has none: two make a story. `revived` has the
    places of groups that go on a story which had left the window.
    """
    heirs = _heirs(groups, before)
    found: dict[str, str] = {}
    again = revived or {}
    for place, (group, claims) in enumerate(zip(groups, heirs, strict=True)):
        if claims:
            least = MUCH_SMALLER * max(claims.values())
            heirs_of = (old for old, articles in claims.items() if articles >= least)
            story = min(heirs_of, key=age)
        elif place in again:
            story = again[place]
        elif len(group) > 1:
            story = new_story()
        else:
            continue
        found.update(dict.fromkeys(group, story))
    return found


def _heirs(
    groups: Sequence[Sequence[str]], before: Mapping[str, str]
) -> list[dict[str, int]]:
    """Return for each group the stories that go on in it, with their articles."""
    held = [Counter(before[a] for a in group if a in before) for group in groups]
    main: dict[str, tuple[int, int]] = {}
    for number, stories in enumerate(held):
        for story, articles in stories.items():
            if articles > main.get(story, (0, 0))[0]:
                main[story] = articles, number
    return [
        {s: n for s, n in stories.items() if main[s][1] == number}
        for number, stories in enumerate(held)
    ]
