"""One slide: old articles leave the window, new ones are linked with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from ustory.core.arrays import Mask, Vector
from ustory.core.evidence import Evidence, load_evidence
from ustory.core.settings import PARTS, Settings
from ustory.links.article import LinkedArticle
from ustory.links.copies import find_copies, handed_on
from ustory.links.evidence.names import name_counts
from ustory.links.evidence.time import UNITS, Gaps, gap_counts
from ustory.links.graph import Links
from ustory.links.pairing import PairContext, Spread, columns_of, in_threads, paired
from ustory.links.prior import BASE, best_links, contrast, probability
from ustory.links.state import LinkState
from ustory.window.vocabulary import Vocabulary

YOUNG = 1_000.0
"""Articles after which a stream is known: until then the links of the window are
weighed anew whenever there are twice as many as when they were weighed last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Which parts of the mode are used: all of ours, unless an ablation omits some."""

    lead: bool = True
    meaning: bool = True
    time: bool = True
    chance: bool = True
    """Whether a pair is read against the best links of its articles."""
    copies: bool = True
    """Whether copies of a text count as one article, and page furniture as nothing."""
    revival: bool = True
    """Whether a new story may continue one that had left the window."""
    review: bool = True
    """Whether past decisions may be changed."""
    gist: bool = False
    """Whether gists count: where the setting `gist_encoder` names an encoder."""
    extra: tuple[str, ...] = ()
    """Names of registered evidence that counts beside ours."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence for pairs, in the order in which log-odds are added."""
        ours = ["words", *(["meaning"] if self.meaning else [])]
        ours += ["gist", "carried_names"] if self.gist else []
        return tuple(load_evidence(name) for name in [*ours, *sorted(self.extra)])


@dataclass(frozen=True, slots=True)
class SlideContext:
    """What a slide is computed with, beside its articles."""

    day: float
    """Its end, in days since the epoch."""
    first_pane: int
    unit: float
    """Days that gaps are measured in: a seventh of the window."""
    vocabulary: Vocabulary
    first_serial: int
    """Serial number of the first new article."""


def parts_of(settings: Settings) -> Parts:
    """Return which parts of the mode are used."""
    named = set(settings.parts.split())
    extra = tuple(sorted(named - set(PARTS)))
    gist = settings.gist_encoder not in ("auto", "none")
    return Parts(gist=gist, extra=extra, **{part: part in named for part in PARTS})


def unit_of(settings: Settings) -> float:
    """Return a seventh of the window, in days; a day where it is by number."""
    if isinstance(settings.window, int):
        return 1.0
    return settings.window / timedelta(days=UNITS)


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
    background, meanings, gists = state.background, state.meanings, state.gists
    if arrived:  # of copies nothing is learned, but their words are known
        background = background.after(new, now.day, len(now.vocabulary))
    idf, weighed = background.idf, state.weighed
    if new:
        meanings = meanings.after(new, now.day)
        gists = gists.after(new, now.day) if parts.gist else gists
        count = len(new)
        if 2 * weighed <= background.articles < 2 * YOUNG:
            count, links, weighed = len(rows), Links(), background.articles
        context = PairContext(
            evidence=parts.evidence,
            idf=idf,
            vectors=meanings.distinct(rows) if parts.meaning else None,
            gists=gists.rows(rows) if parts.gist else None,
            names=name_counts([a.columns for a in rows]) if parts.gist else None,
            lead=parts.lead,
            day=np.array([article.day for article in rows]),
            length=np.array([article.length for article in rows], dtype=np.int64),
            serial=np.array([article.serial for article in rows], dtype=np.int64),
            new=count,
            columns=columns_of(parts.evidence, rows),
        )
        links = Links.join([links, paired(rows, context, spread)])
    gone = [(s, state.articles[k]) for k, s in state.story.items() if k not in kept]
    linked = replace(
        state,
        articles=articles,
        archive=state.archive.after_leaving(gone, idf, now.vocabulary),
        copies=copies,
        links=links,
        story={k: s for k, s in state.story.items() if k in articles},
        background=background,
        meanings=meanings,
        gists=gists,
        weighed=weighed,
        next_serial=state.next_serial + arrived,
    )
    return replace(linked, gaps=_learned(linked, state.next_serial, now, parts))


def _learned(
    state: LinkState, first_serial: int, now: SlideContext, parts: Parts
) -> Gaps:
    """Return the gaps with those of new links, weighed by all that is known so far."""
    new = state.links.newer >= first_serial
    if not new.any():
        return state.gaps
    likely = probability(log_odds(state, now.unit, parts))[new]
    gap = state.links.gap[new] / now.unit
    same, other = gap_counts(gap, likely), gap_counts(gap, 1 - likely)
    return state.gaps.after(same, other, now.day)


def log_odds(state: LinkState, unit: float, parts: Parts) -> Vector:
    """Return the log-odds of each link that its articles report one story."""
    alone = own_log_odds(state, unit, parts)
    if not parts.chance:
        return alone
    across = links_across(state) if parts.gist else np.zeros(len(alone), dtype=bool)
    found = alone.copy()
    for kind in (~across, across):
        ends = state.links.older[kind], state.links.newer[kind]
        found[kind] += contrast(*best_links(ends, alone[kind]))
    return found


def links_across(state: LinkState) -> Mask:
    """Return which links are between two languages: they are read among themselves.

    A likeness in one language says nothing about one in two.
    """
    serials = np.array([a.serial for a in state.articles.values()], dtype=np.int64)
    language = np.array([a.language for a in state.articles.values()])
    if not len(serials):
        return np.zeros(len(state.links), dtype=bool)
    ends = state.links.older, state.links.newer
    one, other = (language[np.searchsorted(serials, end)] for end in ends)
    return np.asarray((one != other) & (one >= 0) & (other >= 0))


def own_log_odds(state: LinkState, unit: float, parts: Parts) -> Vector:
    """Return the log-odds of each link by its own evidence, whatever others have."""
    links = state.links
    total = np.zeros(len(links))
    for odds in links.evidence.values():
        total = total + odds
    total = total + BASE
    if parts.time:
        total = total + state.gaps.log_odds(links.gap / unit)
    return total
