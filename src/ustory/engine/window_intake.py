"""Moves the window on: old panes out, new articles in."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.corrections import changed_texts
from ustory.engine.prepare import Stopwatch
from ustory.engine.state import Record, State
from ustory.engine.state_changes import without_texts
from ustory.window.documents import pane_documents
from ustory.window.duplicates import refuse_duplicates
from ustory.window.panes import Calendar, day_of
from ustory.window.unassigned import UnassignedArticle, open_article

MAX_DEAD_TERMS = 1 << 22
"""Dead terms tolerated before the vocabulary is compacted: this many, or half the
vocabulary if that is less. Compaction costs a pass over the window; a dead term costs
about 50 bytes."""


def take_in(
    state: State,
    slide: Slide,
    settings: Settings,
    stopwatch: Stopwatch,
    opened: Callable[[State], None] = lambda _: None,
) -> State:
    """Return the state with the window moved to `slide.end` and its articles in it.

    `opened` is called with the state after old articles left, before new ones come.
    In mode `links` a corrected article leaves its place and comes in again, in the
    pane where it was.
    """
    articles = sorted(slide.articles, key=lambda prepared: prepared.article.id)
    calendar = Calendar.of(settings)
    if calendar is not None:
        placed, first = _by_time(articles, slide.end, calendar)
        days = {
            p: calendar.day_of(p)
            for p in range(first, calendar.last_pane(slide.end) + 1)
        }
    else:
        placed, first, days = _by_number(state, articles, settings)
    with stopwatch("window"):
        state = replace(
            _evicted(state, first),
            arrivals=state.arrivals + len(articles),
            too_late=state.too_late + len(articles) - len(placed),
            days=days,
        )
        opened(state)
    ids = [prepared.article.id for _, prepared in placed]
    refuse_duplicates(ids, state.records, "slide")
    if settings.mode == "links" and slide.corrections:
        refuse_duplicates([p.article.id for p in slide.corrections], ids, "slide")
        again = changed_texts(state, slide.corrections)
        placed += [(state.records[p.article.id].pane, p) for p in again]
        state = without_texts(state, again)
    with stopwatch("text"):  # numbering terms is the end of counting them
        counts = [prepared.counts for _, prepared in placed]
        vocabulary, numbers = state.vocabulary.grown(counts)
    with stopwatch("window"):
        grown = replace(state, vocabulary=vocabulary)
        return _forgetful(_added(grown, placed, numbers), first)


def _by_time(
    articles: Sequence[PreparedArticle], end: datetime, calendar: Calendar
) -> tuple[list[tuple[int, PreparedArticle]], int]:
    """Put each article into the pane of its time; older articles are left out."""
    first, last = calendar.first_pane(end), calendar.last_pane(end)
    panes = [
        min(calendar.pane_of(prepared.article.published_at), last)
        for prepared in articles
    ]
    placed = [
        (pane, prepared)
        for pane, prepared in zip(panes, articles, strict=True)
        if pane >= first
    ]
    return placed, first


def _by_number(
    state: State, articles: Sequence[PreparedArticle], settings: Settings
) -> tuple[list[tuple[int, PreparedArticle]], int, dict[int, float]]:
    """Fill panes with equal numbers of articles, in order of publication.

    A pane's time is that of its newest article, and never goes back.
    """
    size, window = settings.pane_size, settings.window
    assert isinstance(size, int)
    assert isinstance(window, int)
    ordered = sorted(articles, key=lambda p: (p.article.published_at, p.article.id))
    new = max(state.days, default=-1) + 1  # a slide never fills up an older pane
    placed = [(new + i // size, p) for i, p in enumerate(ordered)]
    last = placed[-1][0] if placed else new - 1
    first = last + 1 - window // size
    days = {pane: day for pane, day in state.days.items() if pane >= first}
    newest = max(days.values(), default=-math.inf)
    for pane, prepared in placed:
        newest = max(newest, day_of(prepared.article.published_at))
        if pane >= first:
            days[pane] = newest
    return [(pane, p) for pane, p in placed if pane >= first], first, days


def _evicted(state: State, first: int) -> State:
    """Return the state without what lies before the pane `first`."""
    if min(state.documents.panes, default=first) >= first:
        return state  # all that is in the window is in its documents
    stories = {k: story.since(first) for k, story in state.stories.items()}
    return replace(
        state,
        documents=state.documents.since(first),
        stories={k: story for k, story in stories.items() if story.panes},
        unassigned={k: a for k, a in state.unassigned.items() if a.pane >= first},
        records={k: r for k, r in state.records.items() if r.pane >= first},
    )


def _added(
    state: State,
    placed: Sequence[tuple[int, PreparedArticle]],
    numbers: Sequence[Indices],
) -> State:
    unassigned = dict(state.unassigned)
    records = dict(state.records)
    new: dict[int, list[UnassignedArticle]] = {}
    for (pane, prepared), terms in zip(placed, numbers, strict=True):
        article = open_article(prepared, pane, terms)
        unassigned[article.id] = article
        new.setdefault(pane, []).append(article)
        records[article.id] = Record(
            id=article.id,
            pane=pane,
            published_at=prepared.article.published_at,
            title=prepared.article.title or prepared.sentences[0],
            sentences=prepared.sentences,
            lang=prepared.article.lang or "",
        )
    documents = state.documents.add(
        {pane: pane_documents(articles) for pane, articles in new.items()},
        len(state.vocabulary),
    )
    return replace(
        state,
        documents=documents,
        unassigned={key: unassigned[key] for key in sorted(unassigned)},
        records={key: records[key] for key in sorted(records)},
    )


def _forgetful(state: State, first: int) -> State:
    """Return the state without terms that left the window, once they are many."""
    df, terms = state.documents.df, len(state.vocabulary)
    many = min(terms / 2, MAX_DEAD_TERMS)
    if terms - np.count_nonzero(df) <= many:
        return state
    alive = df > 0
    alive |= state.link.background.common(len(alive))
    alive[state.link.furniture.terms] = True
    for article in state.link.articles.values():
        if article.pane < first:  # about to leave; the others are in the documents
            alive[article.terms] = True
    if terms - np.count_nonzero(alive) <= many:
        return state
    vocabulary, moved = state.vocabulary.keep(alive)
    return state.renumbered(moved, vocabulary)
