"""Where nothing new came, nothing changes: no article moves because others left."""

from __future__ import annotations

import numpy as np
import pytest

from tests.links.following import KINDS, UNIT, GuidedRun, demo_slides
from ustory.links.groups import LINK, linked_with
from ustory.links.guidance import Guidance
from ustory.links.prior import probability
from ustory.links.slide import log_odds
from ustory.links.state import LinkState

APART = Guidance(apart=(("a-0001", "a-0002"),))


def near_new(state: LinkState, first: int, said: frozenset[str]) -> set[str]:
    """Return the articles that a chain of links joins with one from `first` on.

    Or with one of which something was said.
    """
    rows = [a for a in state.articles.values() if a.serial not in state.copies]
    serials = np.array([a.serial for a in rows], dtype=np.int64)
    linked = probability(log_odds(state, UNIT, KINDS)) >= LINK
    one = np.searchsorted(serials, state.links.older[linked])
    other = np.searchsorted(serials, state.links.newer[linked])
    fresh = (serials >= first) | np.array([article.id in said for article in rows])
    near = linked_with(len(rows), (one, other), fresh)
    return {article.id for article, each in zip(rows, near, strict=True) if each}


@pytest.mark.parametrize("guidance", [None, APART], ids=["unguided", "guided"])
def test_only_what_is_linked_with_a_new_article_is_grouped_anew(
    guidance: Guidance | None,
) -> None:
    run = GuidedRun(guidance)
    said = frozenset(guidance.paired if guidance else ())
    together: dict[str, frozenset[str]] = {}
    stayed = 0
    for slide in demo_slides():
        first = run.state.next_serial
        run.advance(slide)
        state = run.state
        if state.weighed == state.background.articles:
            first = 0
        near = near_new(state, first, said)
        held: dict[str, set[str]] = {}
        for article, story in state.story.items():
            held.setdefault(story, set()).add(article)
        now = {a: frozenset(held[s]) for a, s in state.story.items()}
        for article, mates in together.items():
            still = mates & set(state.story)
            if article in now and not now[article] & near:
                assert now[article] == still - near  # of those one may leave
                stayed += 1
        together = now
    assert stayed > 20
