"""A state whose stories have other ids: the same articles, the same groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ustory.core.story import LinkDecision, ThemeDecision
from ustory.engine.state import State
from ustory.links.archive import Archive
from ustory.links.state import LinkState


def renamed(
    state: State, names: Mapping[str, str], totals: Mapping[str, int] | None = None
) -> State:
    """Return a state in which stories have the ids that `names` gives them.

    `totals` says how many articles a story ever had, by its new id. No two stories
    may get one id; ids that are not named stay.
    """
    known = totals or {}
    stories = {}
    for story, summary in state.stories.items():
        name = names.get(story, story)
        assert name not in stories, name
        total = known.get(name, summary.total)
        stories[name] = replace(summary, story=name, total=total)
    records = {
        article: replace(record, decision=_decided(record.decision, names))
        for article, record in state.records.items()
    }
    standing = state.standing
    if standing is not None:
        told = tuple(names.get(story, story) for story in standing.stories)
        standing = replace(standing, stories=told)
    return replace(
        state,
        stories=dict(sorted(stories.items())),
        records=records,
        standing=standing,
        link=_linked(state.link, names),
    )


def _decided(
    decision: LinkDecision | ThemeDecision | None, names: Mapping[str, str]
) -> LinkDecision | ThemeDecision | None:
    if decision is None:
        return None
    return replace(
        decision,
        story=_name(decision.story, names),
        best=_name(decision.best, names),
        runner_up=_name(decision.runner_up, names),
    )


def _name(story: str | None, names: Mapping[str, str]) -> str | None:
    return None if story is None else names.get(story, story)


def _linked(link: LinkState, names: Mapping[str, str]) -> LinkState:
    profiles = link.archive.profiles.values()
    moved = [
        replace(each, story=names.get(each.story, each.story)) for each in profiles
    ]
    guided = link.guided
    return replace(
        link,
        story={a: names.get(s, s) for a, s in link.story.items()},
        archive=Archive().with_(moved),
        guided=replace(
            guided,
            stories={n: names.get(s, s) for n, s in guided.stories.items()},
            departed={a: names.get(s, s) for a, s in guided.departed.items()},
        ),
    )
