"""One slide: old articles leave the window, new ones are linked with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.evidence import Evidence, load_evidence
from ustory.core.settings import PARTS, Settings
from ustory.links.article import LinkedArticle
from ustory.links.copies import find_copies, handed_on
from ustory.links.evidence.time import NODES
from ustory.links.graph import Links
from ustory.links.pairing import PairContext, Spread, columns_of, in_threads, paired
from ustory.links.prior import BASE
from ustory.links.state import LinkState
from ustory.window.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Which parts of the mode are used: all of ours, unless an ablation omits some."""

    lead: bool = True
    meaning: bool = True
    time: bool = True
    chance: bool = True
    copies: bool = True
    """Whether copies of a text count as one article."""
    revival: bool = True
    """Whether a new story may continue one that had left the window."""
    review: bool = True
    """Whether past decisions may be changed."""
    extra: tuple[str, ...] = ()
    """Names of registered evidence that counts beside ours."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence for pairs, in the order in which log-odds are added."""
        ours = ["words", *(["meaning"] if self.meaning else [])]
        return tuple(load_evidence(name) for name in [*ours, *sorted(self.extra)])


@dataclass(frozen=True, slots=True)
class SlideContext:
    """What a slide is computed with, beside its articles."""

    day: float
    """Its end, in days since the epoch."""
    first_pane: int
    unit: float
    """Days between two nodes of `Gaps`: a seventh of the window."""
    vocabulary: Vocabulary
    first_serial: int
    """Serial number of the first new article."""


def parts_of(settings: Settings) -> Parts:
    """Return which parts of the mode are used."""
    named = set(settings.parts.split())
    extra = tuple(sorted(named - set(PARTS)))
    return Parts(extra=extra, **{part: part in named for part in PARTS})


def unit_of(settings: Settings) -> float:
    """Return a seventh of the window, in days; a day where it is by number."""
    if isinstance(settings.window, int):
        return 1.0
    return settings.window / timedelta(days=NODES - 1)


def link_slide(
    state: LinkState,
    new: Sequence[LinkedArticle],
    now: SlideContext,
    parts: Parts,
    spread: Spread = in_threads,
) -> LinkState:
    """Return the state with old articles out and new ones in and linked."""
    kept = {k: a for k, a in state.articles.items() if a.pane >= now.first_pane}
    articles = {**kept, **{article.id: article for article in new}}
    serials = np.array([a.serial for a in articles.values()], dtype=np.int64)
    copies, links = handed_on(state.copies, state.links, serials)
    if parts.copies:
        copies = find_copies(list(articles.values()), len(new), copies)
    rows = [a for a in articles.values() if a.serial not in copies]
    arrived, new = len(new), [a for a in new if a.serial not in copies]
    background, meanings, gaps = state.background, state.meanings, state.gaps
    if arrived:  # of copies nothing is learned, but their words are known
        background = background.after(new, now.day, len(now.vocabulary))
    idf = background.idf
    if new:
        meanings = meanings.after(new, now.day)
        context = PairContext(
            evidence=parts.evidence,
            idf=idf,
            vectors=meanings.distinct(rows) if parts.meaning else None,
            lead=parts.lead,
            unit=now.unit,
            day=np.array([article.day for article in rows]),
            serial=np.array([article.serial for article in rows], dtype=np.int64),
            new=len(new),
            columns=columns_of(parts.evidence, rows),
        )
        found = paired(rows, context, spread)
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


def log_odds(state: LinkState, unit: float, parts: Parts) -> Vector:
    """Return the log-odds of each link that its articles report one story."""
    links = state.links
    total = np.zeros(len(links))
    for odds in links.evidence.values():
        total = total + odds
    total = total + BASE
    if parts.time:
        total = total + state.gaps.log_odds(links.gap / unit)
    if parts.chance:
        total = total + state.chance
    return total
