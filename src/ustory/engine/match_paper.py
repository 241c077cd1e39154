"""Mode `paper`: an article from outside the window, scored against its stories."""

from __future__ import annotations

from typing import cast

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.engine.match_story import StoryMatch, Terms
from ustory.engine.state import State
from ustory.paper.assignment.assign import decide
from ustory.paper.assignment.pairs import CandidatePairs, candidate_pairs, theme_index
from ustory.paper.assignment.similarity import (
    SeenFrom,
    Similarities,
    log_denominator,
    thematic_similarities,
)
from ustory.paper.embedding.story import Embedder, PaneRows, representations
from ustory.paper.themes.stories import story_themes
from ustory.window.panes import Calendar
from ustory.window.unassigned import Batch, UnassignedArticle, open_article

MAX_STORIES_NAMED = 10
"""Stories that are named at most; many share some keyword."""


class PaperMatcher:
    """The stories of mode `paper`, ready to be compared with any article."""

    def __init__(
        self, state: State, settings: Settings, encoder: Encoder | None
    ) -> None:
        if settings.representation.endswith("Conc") and encoder is None:
            raise ConfigError(
                f"the representation {settings.representation!r} encodes articles for "
                "each story, and no encoder was given; hand the encoder to Matcher.of"
            )
        self._encoder = cast("Encoder", encoder)  # the other two never call it
        self._settings, self._days = settings, dict(state.days)
        self._vocabulary, self._stories = state.vocabulary, tuple(state.stories)
        self._terms = Terms(state.vocabulary)
        self._seen: dict[int, SeenFrom] = {}
        if self._stories:
            summaries = list(state.stories.values())
            self._themes, _ = story_themes(
                summaries, self._days, state.vocabulary, settings
            )
            self._index = theme_index(self._themes, len(state.vocabulary))
            self._panes = PaneRows.of(summaries, self._days)

    def match(self, prepared: PreparedArticle) -> list[StoryMatch]:
        """Return the stories that share a keyword with the article, best first."""
        if not self._stories:
            return []
        batch = Batch([self._opened(prepared)])
        pairs = candidate_pairs(batch, self._themes, self._index)
        texts = {prepared.article.id: prepared.sentences}
        embedder = Embedder(self._settings, self._encoder, texts)
        seen = self._seen_from(batch.articles[0].pane)
        return self._ranked(pairs, thematic_similarities(batch, pairs, seen, embedder))

    def _ranked(self, pairs: CandidatePairs, similar: Similarities) -> list[StoryMatch]:
        verdict = decide(1, pairs, similar, len(self._stories), self._settings)
        below = log_denominator(verdict.excess, len(self._stories))
        sure = np.exp(self._settings.temperature * similar.total - below)
        best = int(verdict.best[0])
        order = np.lexsort((pairs.story, -similar.total, pairs.story != best))
        return [
            StoryMatch(
                self._stories[int(pairs.story[at])],
                float(sure[at]),
                self._keywords(pairs, at),
                cosine=float(similar.cosine[at]),
                divergence=float(similar.divergence[at]),
                joins=bool(verdict.assigned[0]) and int(pairs.story[at]) == best,
            )
            for at in order.tolist()[:MAX_STORIES_NAMED]
            if similar.total[at] > 0
        ]

    def _opened(self, prepared: PreparedArticle) -> UnassignedArticle:
        known = self._terms.numbers(prepared.counts)
        # no theme has the number behind the last
        terms = np.where(known < 0, len(self._vocabulary), known).astype(np.int32)
        return open_article(prepared, self._pane(prepared), terms)

    def _pane(self, prepared: PreparedArticle) -> int:
        """Return the pane of an article, the nearest one where it is outside."""
        calendar, last = Calendar.of(self._settings), max(self._days)
        if calendar is None:
            return last
        pane = calendar.pane_of(prepared.article.published_at)
        return min(max(pane, min(self._days)), last)

    def _seen_from(self, pane: int) -> SeenFrom:
        """Return the stories as seen from a pane; that of the last call is kept."""
        found = self._seen.get(pane)
        if found is None:
            found = SeenFrom.of(
                representations(self._panes, self._days, [pane], self._settings)
            )
            self._seen = {pane: found}
        return found

    def _keywords(self, pairs: CandidatePairs, at: int) -> tuple[str, ...]:
        """Return the keywords of a pair, heaviest first."""
        hits = np.flatnonzero(pairs.hit == at)
        hits = hits[np.argsort(-pairs.weight[hits], kind="stable")]
        terms: Indices = pairs.keywords.term[pairs.keyword[hits]]
        return tuple(self._vocabulary.written(terms))
