"""The numbers of a decision, as the page of an article shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ustory.core.story import LinkDecision, ThemeDecision
from ustory.core.wording import percent

_FULL_BAR = 6.0
"""Log-odds that fill a bar."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, what it is called, and what it means."""

    name: str
    value: str
    meaning: str
    bar: float | None = None
    """Between -1, all against, and 1, all for."""


def figures_of(
    decision: LinkDecision | ThemeDecision | None,
) -> Sequence[Figure]:
    """Return the numbers of a decision; none if no story is close."""
    if decision is None or decision.best is None:
        return []
    found = _links(decision) if isinstance(decision, LinkDecision) else _theme(decision)
    if decision.runner_up is not None:
        found.append(Figure("Lead", f"{decision.margin:.2f}", "over the runner-up"))
    if decision.stories:
        found.append(Figure("Stories", f"{decision.stories:,}", "that were live then"))
    return found


def _links(decision: LinkDecision) -> list[Figure]:
    likely = percent(decision.probability)
    found = [Figure("Probability", likely, "that it belongs to the closest story")]
    for name, odds in decision.evidence.items() if decision.links else ():
        bar = max(-1.0, min(1.0, odds / _FULL_BAR))
        meaning = "log-odds: above 0 speaks for it"
        found.append(Figure(f"By {name}", f"{odds:+.1f}", meaning, bar))
    return found


def _theme(decision: ThemeDecision) -> list[Figure]:
    cosine, balance = decision.cosine, decision.divergence
    joins = "ln(conf/γ): it joins from 0 upwards"
    return [
        Figure("Similarity", f"{decision.similarity:.2f}", "meaning × words, 0 to 1"),
        Figure("By meaning", f"{cosine:.2f}", "of the sentences on the theme", cosine),
        Figure("By words", f"{balance:.2f}", "balance of keywords", balance),
        Figure("Above the bar", f"{decision.log_odds:+.2f}", joins),
    ]
