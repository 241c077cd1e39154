"""Mode `links`: the articles of a slide are linked and grouped into stories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Event, Slide
from ustory.engine.link_decisions import decisions_on
from ustory.engine.link_events import StoryChanges, events_of
from ustory.engine.prepare import Stopwatch
from ustory.engine.state import Record, State
from ustory.engine.window_intake import take_in
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.assign_stories import assign_stories, match_watched
from ustory.links.furniture import Furniture
from ustory.links.pairing import Spread, in_threads
from ustory.links.sentence_terms import SentenceTerms, in_order
from ustory.links.slide import Parts, SlideContext, link_slide, parts_of, unit_of
from ustory.links.state import LinkState
from ustory.links.watched_matcher import WatchedMatcher
from ustory.window.panes import day_of
from ustory.window.summary import StorySummary, add_articles


def advance_links(
    state: State,
    slide: Slide,
    settings: Settings,
    stopwatch: Stopwatch,
    matcher: WatchedMatcher | None = None,
    spread: Spread = in_threads,
) -> tuple[State, Sequence[Event]]:
    """Return the state after a slide, and what happened in it.

    New articles are linked with those of the window by how likely each pair reports
    one story, and groups of linked articles are stories. If nothing arrives, old
    articles leave and nothing else changes.
    """
    moved = take_in(state, slide, settings, stopwatch)
    parts = parts_of(settings)
    with stopwatch("links"):
        moved, new = _new_articles(moved, slide, parts)
        texts = {prepared.article.id for prepared in slide.corrections}
        corrected = {article.id for article in new} & texts
        now = SlideContext(
            day_of(slide.end),
            min(moved.days, default=0),
            unit_of(settings),
            moved.vocabulary,
            moved.link.next_serial,
        )
        link = link_slide(moved.link, new, now, parts, spread)
        if matcher is not None:
            urls = {
                p.article.id: p.article.url or ""
                for p in (*slide.articles, *slide.corrections)
            }
            before = moved.link.story
            link = match_watched(link, new, urls, before, (matcher, moved.vocabulary))
    ids = _Ids(moved.next_story)
    if new:
        with stopwatch("groups"):
            guidance = matcher.guidance if matcher is not None else None
            link = assign_stories(link, now, parts, ids.new, guidance)
    changes = StoryChanges.between(state.link.story, link, slide.end, corrected)
    with stopwatch("summary"):
        after = replace(
            moved,
            end=slide.end,
            next_story=ids.next,
            link=link,
            unassigned={},
            stories=_summaries(moved, link, changes),
            records=_records(moved, link, changes, settings),
        )
    return after, events_of(changes)


class _Ids:
    """Story ids that were never used."""

    def __init__(self, first: int) -> None:
        self.next = first

    def new(self) -> str:
        self.next += 1
        return f"s{self.next - 1:06d}"


def _new_articles(
    moved: State, slide: Slide, parts: Parts
) -> tuple[State, list[LinkedArticle]]:
    """Return the slide's articles that are in the window, corrected ones too.

    These keep the date that they had. The state knows what of them is furniture.
    """
    counted = moved.unassigned
    inside = [
        (_dated(prepared, moved), counted[prepared.article.id])
        for prepared in (*slide.articles, *slide.corrections)
        if prepared.article.id in counted
    ]
    link, new = moved.link, in_order(inside)
    if parts.copies and new:
        furniture = _furniture(moved, new, day_of(slide.end))
        link, new = replace(link, furniture=furniture), furniture.removed_from(new)
    came = linked_articles(new, link.next_serial, parts.evidence)
    return replace(moved, link=link), came


def _furniture(moved: State, new: Sequence[SentenceTerms], day: float) -> Furniture:
    """Return what is known of furniture with new articles."""
    df = np.maximum(moved.documents.df, 1)
    idf = np.log1p(len(moved.records) / df)
    old = [a for a in moved.link.articles.values() if a.id in moved.records]
    return moved.link.furniture.after(old, new, idf, day)


def _dated(prepared: PreparedArticle, moved: State) -> PreparedArticle:
    date = moved.records[prepared.article.id].published_at
    if date == prepared.article.published_at:
        return prepared
    return replace(prepared, article=replace(prepared.article, published_at=date))


def _summaries(
    moved: State, link: LinkState, changes: StoryChanges
) -> dict[str, StorySummary]:
    """Return the summary of each live story; only changed ones are recomputed."""
    live = set(link.story.values())
    kept = {k: s for k, s in moved.stories.items() if k in live}
    names = sorted(changes.changed & live)
    members = _members(link, names)
    blank = [
        replace(kept.get(name, StorySummary(name)), panes={}, total=0) for name in names
    ]
    made = add_articles(
        blank,
        [members[name] for name in names],
        [np.array([a.vector for a in members[name]]) for name in names],
    )
    totals = changes.totals(names, moved.stories)
    for name, summary in zip(names, made, strict=True):
        kept[name] = replace(summary, total=totals[name])
    return dict(sorted(kept.items()))


def _members(
    link: LinkState, names: Iterable[str]
) -> Mapping[str, list[LinkedArticle]]:
    """Return the articles of some stories, in order of id."""
    found: dict[str, list[LinkedArticle]] = {name: [] for name in names}
    for article, story in sorted(link.story.items()):
        if story in found:
            found[story].append(link.articles[article])
    return found


def _records(
    moved: State, link: LinkState, changes: StoryChanges, settings: Settings
) -> dict[str, Record]:
    """Return the records, with new decisions on articles that arrived or moved."""
    records = dict(moved.records)
    decisions = decisions_on(link, changes, unit_of(settings), parts_of(settings))
    for article, decision in decisions.items():
        vector = link.articles[article].vector.astype(np.float16)
        kept = decision if decision.story is not None else None
        records[article] = records[article].decided(kept, vector)
    return records
