"""Which story of the window an article would belong to, before any slide has it."""

from __future__ import annotations

from collections.abc import Sequence

from ustory.core.article import PreparedArticle
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.engine.match_links import LinkMatcher
from ustory.engine.match_paper import PaperMatcher
from ustory.engine.match_story import StoryMatch
from ustory.engine.state import State

__all__ = ["Matcher", "StoryMatch", "match"]


class Matcher:
    """A window that articles from outside can be compared with, one at a time.

    Making it costs about as much as a small slide, and a match hardly anything: make
    one for each state. It may be used by several threads.
    """

    __slots__ = ("_window",)

    def __init__(self, window: LinkMatcher | PaperMatcher) -> None:
        self._window = window

    @classmethod
    def of(
        cls, state: State, settings: Settings, encoder: Encoder | None = None
    ) -> Matcher:
        """Return the matcher of a state, which is left as it is.

        Only the paper's representations that end in Conc need the encoder.
        """
        if settings.mode == "links":
            return cls(LinkMatcher(state, settings))
        return cls(PaperMatcher(state, settings, encoder))

    def match(self, prepared: PreparedArticle) -> list[StoryMatch]:
        """Return the stories that the article may be of, the likeliest first.

        Stories that have left the window are not looked at, nor is guidance. The
        article's id does not matter, its time does.
        """
        return self._window.match(prepared)


def match(
    state: State,
    prepared: Sequence[PreparedArticle],
    settings: Settings,
    encoder: Encoder | None = None,
) -> list[list[StoryMatch]]:
    """Return the stories that each article may be of; see `Matcher`.

    Each is compared with the window alone, not with the other articles.
    """
    matcher = Matcher.of(state, settings, encoder)
    return [matcher.match(article) for article in prepared]
