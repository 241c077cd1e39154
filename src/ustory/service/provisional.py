"""Answers before the slide: the likely story of an article."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock

from ustory.core.article import Article, PreparedArticle
from ustory.core.spans import EPOCH
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.engine.explain import decision_on
from ustory.engine.link_decisions import link_decision, present_themes
from ustory.engine.match import Matcher, StoryMatch
from ustory.engine.poison import STOP_REQUESTS
from ustory.engine.state import State
from ustory.paper.themes.stories import Themes
from ustory.service.intake import NEW, Receipt
from ustory.service.loop import Loop

_log = logging.getLogger(__name__)

MAX_ANSWERED = 50
"""Articles of a batch that get a provisional answer; others wait for the slide."""

PATIENCE = 2.0
"""Seconds to wait for the encoder while a slide is being prepared."""


@dataclass(frozen=True, slots=True)
class WindowArticle:
    """What the engine knows about an article of the window, as plain values."""

    decision: LinkDecision | ThemeDecision
    sentences: tuple[str, ...]
    terms: frozenset[str] | None
    """Its words; the paper's mode does not keep them."""


class Answers:
    """Matches articles outside the window with its stories, for any thread."""

    def __init__(self, loop: Loop, patience: float = PATIENCE) -> None:
        self._loop = loop
        self._patience = patience
        self._lock = Lock()
        self._made: tuple[State, Matcher] | None = None
        self._themed: tuple[State, Themes] | None = None

    def match(self, articles: Sequence[Article]) -> list[list[StoryMatch]]:
        """Return the likely stories of each article, the likeliest first.

        There are none before the first slide, for an article without a sentence, or
        while a large slide uses the encoder for too long.
        """
        state = self._loop.state
        if not articles or not state.stories:
            return [[] for _ in articles]
        ready = self._prepared(articles, state)
        if not ready:
            return [[] for _ in articles]
        matcher = self._matcher(state)
        return [
            matcher.match(ready[place]) if place in ready else []
            for place in range(len(articles))
        ]

    def provisional(
        self, articles: Sequence[Article], receipts: Sequence[Receipt]
    ) -> list[Receipt]:
        """Return the receipts with the likely story of each article that is new."""
        places = [i for i, r in enumerate(receipts) if r.outcome == NEW][:MAX_ANSWERED]
        try:
            found = self.match([articles[i] for i in places])
        except STOP_REQUESTS:
            raise
        except BaseException:  # noqa: BLE001 - a panic is no Exception
            # they are stored: an error would say that they are not
            _log.exception("accepted articles have no provisional answer")
            return list(receipts)
        answered = list(receipts)
        for place, matches in zip(places, found, strict=True):
            if matches and matches[0].joins:
                answered[place] = replace(
                    receipts[place],
                    story=matches[0].story,
                    probability=matches[0].probability,
                )
        return answered

    def can_read(self, text: str) -> bool:
        """Return whether a text can be read; True if the encoder is busy."""
        article = Article(id="text", published_at=EPOCH, text=text)
        try:
            self._loop.runner.prepared([article], self._patience)
        except STOP_REQUESTS:
            raise
        except BaseException:  # noqa: BLE001 - a panic is no Exception
            _log.exception("a text cannot be read")
            return False
        return True

    def explain(self, article: str) -> WindowArticle | None:
        """Return the decision on an article in the window, with current keywords.

        None if it is not in the window: the archive has its last decision.
        """
        state, settings = self._loop.state, self._loop.settings
        if article not in state.records:
            return None
        decision: LinkDecision | ThemeDecision | None
        if settings.mode == "links":
            decision = link_decision(state, article, settings, self._themes(state))
        else:
            decision = decision_on(state, article, settings.sentences)
        if decision is None:
            return None
        linked = state.link.articles.get(article)
        terms = None if linked is None else state.vocabulary.written(linked.terms)
        return WindowArticle(
            decision,
            state.records[article].sentences,
            None if terms is None else frozenset(terms),
        )

    def _prepared(
        self, articles: Sequence[Article], state: State
    ) -> dict[int, PreparedArticle]:
        """Return the articles that can be read in time, by position."""
        named = [replace(article, id=str(i)) for i, article in enumerate(articles)]
        ready = self._loop.runner.prepared(named, self._patience, usual=state.languages)
        return {int(prepared.article.id): prepared for prepared in ready or ()}

    def _themes(self, state: State) -> Themes | None:
        """Return the themes of a state; they are computed once."""
        with self._lock:
            if state.stories and (self._themed is None or self._themed[0] is not state):
                self._themed = state, present_themes(state, self._loop.settings)
            return self._themed[1] if self._themed else None

    def _matcher(self, state: State) -> Matcher:
        """Return the matcher of a state; it is made once."""
        with self._lock:
            if self._made is None or self._made[0] is not state:
                loop = self._loop
                made = Matcher.of(state, loop.settings, loop.runner.encoder)
                self._made = state, made
            return self._made[1]
