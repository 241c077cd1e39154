"""Rules between the parts of a state, whoever wrote it.

Rules of single classes stand beside their fields (`ustory.core.rules`). The rules here
ensure that references between parts are valid: numbers of terms are in the vocabulary,
panes in the window, ids among the articles. Compiled loops rely on it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain, pairwise

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.rules import MAX_DAYS, must
from ustory.core.settings import Settings
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.engine.state import State
from ustory.links.gists import is_sound
from ustory.links.state import LinkState
from ustory.window.panes import Calendar

MAX_PANES = 1_000_000
MAX_KEYWORDS = 100_000
MAX_ROUNDS = 100_000
"""Starts and steps of k-means++."""

_STORY = re.compile(r"s\d{6,18}", re.ASCII)


def check_state(state: State, settings: Settings) -> None:
    """Raise `InconsistentError` if no run with these settings gives such a state."""
    _check_settings(settings)
    _check_days(state, settings)
    _check_panes(state)
    _check_documents(state)
    _check_terms(state)
    _check_stories(state, settings)
    _check_sizes(state)
    if settings.mode == "links":
        _check_links(state)
    else:
        _check_paper(state, settings)


def _check_settings(settings: Settings) -> None:
    """Refuse settings that ask for more memory and time than a user would."""
    must(
        settings.keywords <= MAX_KEYWORDS
        and max(settings.seed_restarts, settings.seed_steps) <= MAX_ROUNDS,
        "its settings ask for more than any run needs",
    )
    must(
        _panes_in_window(settings) <= MAX_PANES,
        f"its window must have {MAX_PANES} panes at most",
    )


def _panes_in_window(settings: Settings) -> int:
    window, pane = settings.window, settings.pane_size
    if isinstance(window, timedelta) and isinstance(pane, timedelta):
        return window // pane
    assert isinstance(window, int)
    assert isinstance(pane, int)
    return window // pane


def _check_days(state: State, settings: Settings) -> None:
    """Check that the panes of the window are those of its end, with their times."""
    calendar = Calendar.of(settings)
    if state.end is None:
        must(not state.days, "before the first slide there are no panes")
    elif calendar is not None:
        first, last = calendar.first_pane(state.end), calendar.last_pane(state.end)
        expected = {pane: calendar.day_of(pane) for pane in range(first, last + 1)}
        must(state.days == expected, "its panes are not those of its last slide")
    else:
        panes, days = list(state.days), list(state.days.values())
        must(
            len(panes) <= _panes_in_window(settings)
            and all(b == a + 1 for a, b in pairwise(panes))
            and all(a <= b for a, b in pairwise(days))
            and all(abs(day) < MAX_DAYS for day in days),
            "its panes are not those of a window",
        )


def _check_panes(state: State) -> None:
    """Check that whatever is in the window is in one of its panes."""
    panes = set(state.days)
    used = {
        "records": {record.pane for record in state.records.values()},
        "unassigned": {article.pane for article in state.unassigned.values()},
        "stories": {pane for story in state.stories.values() for pane in story.panes},
        "link.articles": {article.pane for article in state.link.articles.values()},
    }
    for name, found in used.items():
        must(found <= panes, f"{name} has panes that are not in the window")


def _check_documents(state: State) -> None:
    """Check that the documents count the window, pane by pane and term by term."""
    documents = state.documents
    counted = {pane: each.articles for pane, each in documents.panes.items()}
    found = dict.fromkeys(counted, 0)
    for record in state.records.values():
        must(record.pane in found, "an article is in a pane without documents")
        found[record.pane] += 1
    must(counted == found, "the documents do not count the articles of the window")
    size = len(state.vocabulary)
    must(len(documents.df) == size, "the documents have not the terms of the words")
    total = np.zeros(size, dtype=np.int64)
    for pane in documents.panes.values():
        must(
            not len(pane.terms) or pane.terms[-1] < size,
            "the documents have terms that the vocabulary has not",
        )
        must(pane.df.max(initial=0) <= pane.articles, "a term is in more than all")
        total[pane.terms] += pane.df
    must(np.array_equal(total, documents.df), "the documents do not add up")


def _check_terms(state: State) -> None:
    """Check that numbers of terms are in the vocabulary."""
    size = len(state.vocabulary)
    panes = [p.terms for s in state.stories.values() for p in s.panes.values()]
    waiting = [article.terms for article in state.unassigned.values()]
    must(_highest(panes) < size, "stories have terms that the vocabulary has not")
    must(_highest(waiting) < size, "articles have terms that the vocabulary has not")
    if state.standing is not None:
        themes = state.standing.themes.terms
        must(themes.max(initial=-1) < size, "themes have terms that are no terms")
    phrases = state.link.furniture.terms
    must(phrases.max(initial=-1) < size, "furniture has terms that are no terms")
    df = state.link.background.df
    must(len(df) <= size, "the background has terms that the vocabulary has not")
    # ascending, so the last is the highest
    last = [a.terms[-1] for a in state.link.articles.values() if len(a.terms)]
    must(max(last, default=-1) < len(df), "articles have terms without a background")


def _highest(parts: Sequence[Indices]) -> int:
    return max((int(part.max()) for part in parts if len(part)), default=-1)


def _check_stories(state: State, settings: Settings) -> None:
    """Check that stories have ids that were given out, and records name live ones."""
    link = state.link
    named = chain(
        state.stories,
        link.story.values(),
        link.archive.profiles,
        link.guided.stories.values(),
        link.guided.departed.values(),
    )
    for story in set(named):
        must(
            _STORY.fullmatch(story) and int(story[1:]) < state.next_story,
            f"{story[:40]!r} is no story that was ever begun",
        )
    for summary in state.stories.values():
        must(summary.total >= summary.articles, "a story has more articles than ever")
    kind = LinkDecision if settings.mode == "links" else ThemeDecision
    decisions = [r.decision for r in state.records.values() if r.decision is not None]
    for decision in decisions:
        must(decision.story in state.stories, "an article is in a story that is gone")
        must(isinstance(decision, kind), f"a decision is not of mode {settings.mode}")
        must(_is_finite(decision), "a decision has numbers that are none")
    if state.end is not None:
        must(
            all(decision.decided_at <= state.end for decision in decisions),
            "a decision is later than the last slide",
        )


def _is_finite(decision: LinkDecision | ThemeDecision) -> bool:
    numbers = [decision.margin, decision.log_odds, *decision.weights]
    if isinstance(decision, LinkDecision):
        numbers += decision.evidence.values()
        numbers += [decision.probability, *decision.links.values()]
    else:
        numbers += [decision.similarity, decision.cosine, decision.divergence]
        numbers.append(decision.confidence)
    return all(map(math.isfinite, numbers)) and decision.stories >= 0


def _check_sizes(state: State) -> None:
    """Check that all vectors are of one encoder."""
    sizes = _sizes(state)
    must(len(sizes) <= 1, f"vectors have different lengths: {sorted(sizes)[:4]}")


def vector_size(state: State) -> int | None:
    """Return the length of the vectors of a state, None if it has no vectors."""
    return max(_sizes(state), default=None)


def _sizes(state: State) -> set[int]:
    sizes = {
        *(len(r.vector) for r in state.records.values() if r.vector is not None),
        *(article.vectors.shape[1] for article in state.unassigned.values()),
        *(len(p.vectors) for s in state.stories.values() for p in s.panes.values()),
        *(len(article.vector) for article in state.link.articles.values()),
        *(len(profile.vector) for profile in state.link.archive.profiles.values()),
    }
    if state.link.meanings.articles:
        sizes.add(len(state.link.meanings.mean))
    return sizes


def _check_paper(state: State, settings: Settings) -> None:
    """Check that in mode `paper` an article is in a story, or waits as a whole."""
    must(_is_empty(state.link), "mode paper has no links")
    waiting = {id_ for id_, r in state.records.items() if r.decision is None}
    must(waiting == set(state.unassigned), "articles neither wait nor have a story")
    for id_, article in state.unassigned.items():
        must(article.pane == state.records[id_].pane, "an article is in two panes")
    standing = state.standing
    if standing is None:
        return
    must(
        standing.themes.terms.shape[1] == settings.keywords,
        "themes have not as many keywords as the settings say",
    )
    must(
        state.end is not None and standing.decided_at <= state.end,
        "the standing is later than the last slide",
    )


def _is_empty(link: LinkState) -> bool:
    learned = len(link.meanings.mean), len(link.archive)
    return not (link.articles or link.copies or link.story or len(link.links)) and (
        not any(learned)
    )


def _check_links(state: State) -> None:
    """Check that in mode `links` articles, links and stories name what is there."""
    link = state.link
    must(
        not state.unassigned and state.standing is None,
        "in mode links no article waits as a whole",
    )
    must(set(link.articles) == set(state.records), "articles and records differ")
    for id_, article in link.articles.items():
        must(article.pane == state.records[id_].pane, "an article is in two panes")
        must(is_sound(article.columns), f"{id_[:40]!r} has a gist that is none")
    _check_serials(link)
    must(set(link.story) <= set(link.articles), "stories have articles that are gone")
    must(set(link.story.values()) == set(state.stories), "stories have no articles")
    must(
        all(
            (record.decision.story if record.decision else None) == link.story.get(id_)
            for id_, record in state.records.items()
        ),
        "records name other stories than the links",
    )
    must(
        set(link.guided.matches) <= set(link.articles),
        "guidance has matched articles that are gone",
    )


def _check_serials(link: LinkState) -> None:
    """Check that copies and links are of the window; a copy has no links."""
    serials = {article.serial for article in link.articles.values()}
    must(
        max(serials, default=-1) < link.next_serial,
        "an article has a serial number that was not given out",
    )
    originals = serials - set(link.copies)
    must(
        set(link.copies) <= serials
        and set(link.copies.values()) <= originals
        and all(original < copy for copy, original in link.copies.items()),
        "copies and originals are not articles of the window",
    )
    known = np.array(sorted(originals), dtype=np.int64)
    both = link.links.among(known)
    must(len(both) == len(link.links), "links are between articles that are gone")
