"""A decision of mode `links` with its evidence: shared keywords, sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.settings import Settings
from ustory.core.story import LinkDecision
from ustory.engine.link_decisions import Table, decision
from ustory.engine.links_mode import parts_of, unit_of
from ustory.engine.state import State
from ustory.links.article import LinkedArticle
from ustory.paper.themes.stories import Themes, story_themes


def link_decision(
    state: State, article: str, settings: Settings, themes: Themes | None = None
) -> LinkDecision | None:
    """Return why an article is where it is, None if it is not in the window.

    What was decided stays as it was written down; an article that waits is asked
    about now. Keywords and sentences are those of the story's present theme.
    `themes` are those of the state (`present_themes`), for who asks often.
    """
    record = state.records.get(article)
    if record is None:
        return None
    found = record.decision or _waiting(state, article, settings)
    assert isinstance(found, LinkDecision)
    if found.best is None or found.best not in state.stories:
        return found
    theme = _theme(state, found.best, themes or present_themes(state, settings))
    return _with_theme(found, state.link.articles[article], theme, state)


def _waiting(state: State, article: str, settings: Settings) -> LinkDecision:
    assert state.end is not None
    table = Table.of(state.link, unit_of(settings), parts_of(settings))
    pulls = table.pulls(article)
    return decision(None, "waiting", pulls, state.end, len(state.stories))


def present_themes(state: State, settings: Settings) -> Themes:
    """Return the themes of the live stories, in their order (Def 4.1)."""
    summaries = list(state.stories.values())
    themes, _ = story_themes(summaries, dict(state.days), state.vocabulary, settings)
    return themes


def _theme(state: State, story: str, themes: Themes) -> dict[int, float]:
    """Return the keywords of a story by number, with their weights."""
    row = list(state.stories).index(story)
    pairs = zip(themes.terms[row].tolist(), themes.weights[row].tolist(), strict=True)
    return {term: weight for term, weight in pairs if term >= 0}


def _with_theme(
    found: LinkDecision, article: LinkedArticle, theme: dict[int, float], state: State
) -> LinkDecision:
    places = np.flatnonzero(np.isin(article.terms, list(theme)))
    if not len(places):
        return found
    words = state.vocabulary.written(article.terms[places])
    sentences = len(state.records[article.id].sentences)
    weights = _sentence_weights(article, theme, sentences)
    return replace(
        found,
        keywords=dict(zip(words, article.tf[places].tolist(), strict=True)),
        weights=tuple(weights.tolist()),
    )


def _sentence_weights(
    article: LinkedArticle, theme: dict[int, float], sentences: int
) -> Vector:
    """Return the theme relevance of each sentence (Eq. 2), summing to 1."""
    weight = np.array([theme.get(term, 0.0) for term in article.terms.tolist()])
    cells = np.repeat(weight, article.cells) * article.count
    found = np.bincount(article.sentence, cells, minlength=sentences)
    return np.asarray(found / found.sum())
