"""Groups of linked articles become stories, which keep their ids."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.links.article import LinkedArticle
from ustory.links.constraint_graph import LinkedWindow
from ustory.links.copies import with_copies
from ustory.links.evidence.time import UNITS
from ustory.links.evidence.words import reliability, word_log_odds
from ustory.links.groups import ACROSS_LINK, LINK, groups, linked_with, stayed
from ustory.links.guidance import Guidance
from ustory.links.guided import guided_stories
from ustory.links.ids import age, carried_on
from ustory.links.joining import GroupEvidence, with_joined
from ustory.links.outlets import outlets
from ustory.links.prior import OUTSIDE, probability
from ustory.links.revival import Present, revived, without_story
from ustory.links.slide import Parts, SlideContext, links_across, log_odds
from ustory.links.state import LinkState
from ustory.links.telling_apart import told_apart
from ustory.links.watched_matcher import StreamStats, WatchedMatcher
from ustory.links.word_candidates import body_rows, lead_rows
from ustory.window.vocabulary import Vocabulary


def assign_stories(
    state: LinkState,
    now: SlideContext,
    parts: Parts,
    new_story: Callable[[], str],
    guidance: Guidance | None = None,
) -> LinkState:
    """Return the state with every article in the story that its links give it.

    Guidance, if a user gave any, comes before links.
    """
    rows = [a for a in state.articles.values() if a.serial not in state.copies]
    names = [article.id for article in rows]
    serials = np.array([article.serial for article in rows], dtype=np.int64)
    pairs = (
        np.searchsorted(serials, state.links.older),
        np.searchsorted(serials, state.links.newer),
    )
    weighted = lead_rows if parts.lead else body_rows
    odds = log_odds(state, now.unit, parts)
    evidence = GroupEvidence(
        pairs,
        odds,
        weighted(rows, state.background.idf),
        reliability(np.array([article.length for article in rows])),
        outlets(rows),
        state.gists.rows(rows) if parts.gist else None,
    )
    likely = probability(odds)
    linked = likely >= LINK
    if parts.gist:
        linked &= ~links_across(state) | (likely >= ACROSS_LINK)
    ends, weight = (pairs[0][linked], pairs[1][linked]), likely[linked]
    if guidance:
        changing = _fresh(rows, state, now), _open(rows, now)
        window = LinkedWindow(names, ends, weight, state.story, evidence, *changing)
        chosen, guided = guided_stories(window, state.guided, guidance, new_story)
        story = _copied(chosen, state)
        archive = state.archive.after_settling(state.story, story)
        return replace(state, story=story, guided=guided, archive=archive)
    found = _grouped(rows, (ends, weight), evidence, state, now, parts.review)
    named = [[names[row] for row in group] for group in found]
    named = with_copies(named, state.articles, state.copies)
    again = _revived(named, state, now, parts)
    story = carried_on(named, state.story, new_story, again)
    archive = state.archive.after_settling(state.story, story)
    return replace(state, story=story, archive=archive)


def match_watched(
    state: LinkState,
    new: Sequence[LinkedArticle],
    urls: Mapping[str, str],
    before: Mapping[str, str],
    matcher: tuple[WatchedMatcher, Vocabulary],
) -> LinkState:
    """Return the linked state with what guidance finds in new articles.

    `before` is the story of each article before old ones left the window.
    """
    look, vocabulary = matcher
    known = StreamStats(
        vocabulary,
        state.background,
        lambda body, lead: word_log_odds(body, lead) + OUTSIDE,
    )
    found = look.matches(new, urls, known)
    guided = state.guided.after(state.articles, before, found, look.guidance)
    return replace(state, guided=guided)


def _grouped(
    rows: Sequence[LinkedArticle],
    links: tuple[tuple[Indices, Indices], Vector],
    evidence: GroupEvidence,
    state: LinkState,
    now: SlideContext,
    review: bool,
) -> list[Indices]:
    """Return the groups of articles.

    Under review past decisions may change where something new has come: a group that
    no chain of links joins with a new article stays as it was, whoever leaves it.
    """
    ends, weight = links
    standing = _standing([article.id for article in rows], state.story)
    if not review:
        found = groups(len(rows), ends, weight, standing, math.inf)
        found = told_apart(found, ends, weight, evidence)
        return stayed(with_joined(found, standing, evidence), standing)
    touched = linked_with(len(rows), ends, _fresh(rows, state, now))
    placed = np.where(_open(rows, now) & touched, -1, standing)
    found = groups(len(rows), ends, weight, placed, touched=touched)
    found = told_apart(found, ends, weight, evidence, touched)
    return with_joined(found, placed, evidence, touched)


def _fresh(rows: Sequence[LinkedArticle], state: LinkState, now: SlideContext) -> Mask:
    """Return which articles are new: all are, if the whole window was weighed anew."""
    first = now.first_serial
    if state.weighed == state.background.articles:
        first = 0
    return np.array([article.serial >= first for article in rows], dtype=bool)


def _open(rows: Sequence[LinkedArticle], now: SlideContext) -> Mask:
    """Return which articles are so young that their place is open."""
    return np.array([article.day > now.day - now.unit for article in rows], dtype=bool)


def _standing(names: Sequence[str], story: Mapping[str, str]) -> Indices:
    """Return the number of each article's story, -1 for none."""
    number = {each: i for i, each in enumerate(sorted(set(story.values()), key=age))}
    found = [number.get(story.get(name, ""), -1) for name in names]
    return np.array(found, dtype=np.int64)


def _copied(story: Mapping[str, str], state: LinkState) -> dict[str, str]:
    """Return the stories with each copy in that of its original."""
    found = dict(story)
    name = {article.serial: article.id for article in state.articles.values()}
    for copy, original in state.copies.items():
        if name[original] in story:
            found[name[copy]] = story[name[original]]
    return found


def _revived(
    named: Sequence[Sequence[str]], state: LinkState, now: SlideContext, parts: Parts
) -> dict[int, str]:
    """Return the old stories that groups without a story go on, by their place."""
    if not parts.revival or not len(state.archive):
        return {}
    fresh_groups = without_story(named, state.articles, state.story, now.first_serial)
    # a single article waits, as most do: only what would be a story is compared
    places = [place for place in fresh_groups if len(named[place]) > 1]
    present = Present(
        idf=state.background.idf,
        vocabulary=now.vocabulary,
        meanings=state.meanings if parts.meaning else None,
        window=now.unit * UNITS,
        awake=set(state.story.values()),
    )
    fresh = [[state.articles[name] for name in named[place]] for place in places]
    found = revived(fresh, state.archive, present)
    return {places[i]: revival.story for i, revival in found.items()}
