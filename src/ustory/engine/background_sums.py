"""The sums of the live stories, begun while new articles are still taken in."""

from __future__ import annotations

import operator
from collections.abc import Callable

from ustory.engine.draft import Draft
from ustory.engine.state import State
from ustory.engine.tools import Tools
from ustory.paper.themes.stories import StorySums, story_sums
from ustory.window.summary import StorySummary


class Ahead:
    """What one slide works out ahead of its turn; it changes no number."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._stories: list[StorySummary] = []
        self._ready: Callable[[], StorySums] | None = None

    def begin(self, state: State) -> None:
        """Begin to sum up the stories of a window that has nothing new in it yet."""
        stories, days = list(state.stories.values()), dict(state.days)
        terms = len(state.vocabulary)
        if stories:
            self._stories = stories
            self._ready = self._tools.meanwhile(
                lambda: story_sums(stories, days, terms, self._tools.settings)
            )

    def sums(self, draft: Draft) -> StorySums:
        """Return the sums of the stories of a draft, made anew if they are others.

        They are after a first slide, and where terms were forgotten and all got
        other numbers.
        """
        stories = list(draft.stories.values())
        if self._ready is not None and _are_same(stories, self._stories):
            return self._ready()
        return story_sums(
            stories,
            draft.days,
            len(draft.state.vocabulary),
            self._tools.settings,
            workers=self._tools.workers,
        )


def _are_same(some: list[StorySummary], others: list[StorySummary]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))
