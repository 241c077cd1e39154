"""Why an article is where it is, in words, for stories made of links."""

from __future__ import annotations

from collections.abc import Callable

from ustory.core.evidence import reason_of
from ustory.core.story import LinkDecision
from ustory.core.wording import many, utc_text

_HOW = {"seeded": "helped to start", "assigned": "joined", "moved": "was moved to"}


def link_reasons(decision: LinkDecision, name: Callable[[str], str]) -> list[str]:
    """Return a decision of mode `links` as sentences for people.

    `name` says what a story is called.
    """
    if decision.best is None:
        return [*_place(decision, name), "No article of the window is linked with it."]
    return [*_place(decision, name), *_links(decision, name), *_rival(decision, name)]


def _place(decision: LinkDecision, name: Callable[[str], str]) -> list[str]:
    when = utc_text(decision.decided_at)
    if decision.story is None:
        return [
            f"It is in no story yet, as of the slide that ended {when}: two linked "
            "articles make one, and every slide asks again."
        ]
    story = name(decision.story)
    return [f"It {_HOW[decision.how]} {story} in the slide that ended {when}."]


def _links(decision: LinkDecision, name: Callable[[str], str]) -> list[str]:
    whose = "this story" if decision.story else name(decision.best or "")
    linked = ", ".join(f"{id_} ({p:.0%})" for id_, p in decision.links.items())
    words = ", ".join(
        f"{word} ({count})"
        for word, count in sorted(
            decision.keywords.items(), key=lambda pair: (-pair[1], pair[0])
        )
    )
    told = [
        f"It belongs to {whose} with a probability of {decision.probability:.0%}, by "
        f"{many(len(decision.links), 'link', 'links')}: {linked}. A link says how "
        "likely two articles tell one story.",
    ]
    if decision.evidence:
        parts = [
            f"{reason_of(name, odds)} ({odds:+.1f})"
            for name, odds in decision.evidence.items()
        ]
        told.append(f"In log-odds this is {', '.join(parts)}.")
    if words:
        told.append(f"It has these keywords of the story: {words}.")
    return told


def _rival(decision: LinkDecision, name: Callable[[str], str]) -> list[str]:
    if decision.runner_up is None:
        return ["No other story has an article that is linked with it."]
    return [
        f"Next is {name(decision.runner_up)}, with "
        f"{decision.probability - decision.margin:.0%}."
    ]
