"""One slide: old articles leave the window, new ones are linked with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.link.article import LinkedArticle
from ustory.link.copies import find_copies, handed_on
from ustory.link.evidence import (
    BASE,
    MEANING,
    MEANING_EVEN,
    body_evidence,
    chance,
    meaning_evidence,
    word_evidence,
)
from ustory.link.gaps import NODES
from ustory.link.graph import Links, strongest
from ustory.link.state import LinkState
from ustory.link.words import Candidates, candidates
from ustory.window.vocabulary import Vocabulary

MOST = 50
"""Links that an article brings at most, so that memory follows the window."""

FAINT = -3.5
"""Log-odds by words and meaning below which a pair is forgotten at once: time and
chance together hardly ever make up for that much."""

_TOGETHER = 512
"""New articles whose pairs are held at once, so that memory follows the window."""


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
    state: LinkState, new: Sequence[LinkedArticle], now: Moment, kinds: Kinds
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
        meant = meanings.distinct(rows) if kinds.meaning else None
        sure, vague = np.zeros(NODES), np.zeros(NODES)
        for start in range(len(rows) - len(new), len(rows), _TOGETHER):
            inside = rows[: start + _TOGETHER]
            pairs = candidates(inside, len(inside) - start, idf, now.unit)
            sure, vague = sure + pairs.sure, vague + pairs.vague
            links = links.and_(_linked(inside, pairs, meant, kinds))
        gaps = gaps.after(sure, vague, now.day)
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


def _linked(
    rows: Sequence[LinkedArticle], pairs: Candidates, meant: Matrix | None, kinds: Kinds
) -> Links:
    """Return the links of new articles: their strongest pairs."""
    words = body_evidence(pairs.body)
    if kinds.lead:
        words = word_evidence(pairs.body, pairs.lead)
    # meaning adds so much at most: what cannot reach FAINT need not be weighed
    hope = words >= FAINT - MEANING * (1 - MEANING_EVEN)
    pairs, words = pairs.only(hope), words[hope]
    meaning = np.zeros(len(words))
    if meant is not None:
        meaning = meaning_evidence(_cosines(meant, pairs.newer, pairs.older))
    day = np.array([article.day for article in rows])
    serial = np.array([article.serial for article in rows], dtype=np.int64)
    total = words + meaning
    keep = np.flatnonzero(total >= FAINT)
    keep = keep[strongest(pairs.newer[keep], total[keep], MOST)]
    newer, older = pairs.newer[keep], pairs.older[keep]
    return Links(
        older=serial[older],
        newer=serial[newer],
        words=words[keep],
        meaning=meaning[keep],
        gap=np.abs(day[newer] - day[older]),
    )


def _cosines(rows: Matrix, first: Indices, second: Indices) -> Vector:
    found = np.empty(len(first))
    # blocks that fit into the cache, in memory that is used again
    ends = np.empty((2, min(_BLOCK, len(first)), rows.shape[1]), dtype=np.float32)
    for start in range(0, len(first), _BLOCK):
        part = slice(start, start + _BLOCK)
        size = len(first[part])
        for end, places in zip(ends, (first, second), strict=True):
            np.take(rows, places[part], axis=0, out=end[:size], mode="clip")
        found[part] = np.einsum("ij,ij->i", ends[0, :size], ends[1, :size])
    return found


_BLOCK = 512


def log_odds(state: LinkState, unit: float, kinds: Kinds) -> Vector:
    """Return the log-odds of each link that its articles tell one story."""
    links = state.links
    total = links.words + links.meaning + BASE
    if kinds.time:
        total = total + state.gaps.evidence(links.gap / unit)
    if kinds.chance:
        total = total + chance(state.mates, len(state.articles) - len(state.copies))
    return total
