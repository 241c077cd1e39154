"""One slide: old articles leave the window, new ones are linked with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Vector
from ustory.links.article import LinkedArticle
from ustory.links.copies import find_copies, handed_on
from ustory.links.evidence import BASE
from ustory.links.graph import Links
from ustory.links.pairing import Spread, Weighing, in_threads, paired
from ustory.links.state import LinkState
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Which kinds of evidence count; all do, unless an ablation says otherwise."""

    lead: bool = True
    meaning: bool = True
    time: bool = True
    chance: bool = True
    copies: bool = True
    """Whether a text that another article had first is heard once."""
    revival: bool = True
    """Whether a new story may go on one that had left the window."""
    review: bool = True
    """Whether past decisions are looked at again."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a slide is settled."""

    day: float
    """Its end, in days since the epoch."""
    first_pane: int
    unit: float
    """Days between two nodes of `Gaps`: a seventh of the window."""
    vocabulary: Vocabulary
    first_serial: int
    """Serial number of the first new article."""


def link_slide(
    state: LinkState,
    new: Sequence[LinkedArticle],
    now: Moment,
    kinds: Kinds,
    spread: Spread = in_threads,
) -> LinkState:
    """Return the state with old articles out and new ones in and linked."""
    kept = {k: a for k, a in state.articles.items() if a.pane >= now.first_pane}
    articles = {**kept, **{article.id: article for article in new}}
    serials = np.array([a.serial for a in articles.values()], dtype=np.int64)
    copies, links = handed_on(state.copies, state.links, serials)
    if kinds.copies:
        copies = find_copies(list(articles.values()), len(new), copies)
    rows = [a for a in articles.values() if a.serial not in copies]
    arrived, new = len(new), [a for a in new if a.serial not in copies]
    background, meanings, gaps = state.background, state.meanings, state.gaps
    if arrived:  # of copies nothing is learned, but their words are known
        background = background.after(new, now.day, len(now.vocabulary))
    idf = background.idf
    if new:
        meanings = meanings.after(new, now.day)
        weighing = Weighing(
            idf=idf,
            meant=meanings.distinct(rows) if kinds.meaning else None,
            lead=kinds.lead,
            unit=now.unit,
            day=np.array([article.day for article in rows]),
            serial=np.array([article.serial for article in rows], dtype=np.int64),
        )
        found = paired(rows, len(new), weighing, spread)
        links = Links.join([links, found.links])
        gaps = gaps.after(found.sure, found.vague, now.day)
    gone = [(s, state.articles[k]) for k, s in state.story.items() if k not in kept]
    return replace(
        state,
        articles=articles,
        archive=state.archive.after_leaving(gone, idf, now.vocabulary),
        copies=copies,
        links=links,
        story={k: s for k, s in state.story.items() if k in articles},
        background=background,
        meanings=meanings,
        gaps=gaps,
        next_serial=state.next_serial + arrived,
    )


def log_odds(state: LinkState, unit: float, kinds: Kinds) -> Vector:
    """Return the log-odds of each link that its articles tell one story."""
    links = state.links
    total = links.words + links.meaning + BASE
    if kinds.time:
        total = total + state.gaps.evidence(links.gap / unit)
    if kinds.chance:
        total = total + state.chance
    return total
