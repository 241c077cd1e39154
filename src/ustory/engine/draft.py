"""A slide in the making: a state that may be changed until it is finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.story import Decision, Event
from ustory.engine.state import State
from ustory.window.summary import StorySummary, summarise
from ustory.window.unassigned import UnassignedArticle


@dataclass(slots=True)
class Draft:
    """Mutable copy of a state; the state it came from stays as it was."""

    state: State
    end: datetime
    stories: dict[str, StorySummary]
    unassigned: dict[str, UnassignedArticle]
    arrived: dict[str, list[str]] = field(default_factory=dict)
    """Articles that joined each story in this slide."""
    born: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)
    next_story: int = 1
    excess: dict = field(default_factory=dict)

    @classmethod
    def of(cls, state: State, end: datetime) -> Draft:
        """Return a draft of the slide that ends at `end`."""
        return cls(
            state,
            end,
            dict(state.stories),
            dict(state.unassigned),
            next_story=state.next_story,
        )

    @property
    def days(self) -> dict[int, float]:
        """Time of each pane."""
        return dict(self.state.days)

    def new_story(self) -> str:
        """Open a story under an id that was never used."""
        story = f"s{self.next_story:06d}"
        self.next_story += 1
        self.stories[story] = StorySummary(story)
        self.born.append(story)
        return story

    def join(
        self, story: str, articles: Sequence[UnassignedArticle], vectors: Matrix
    ) -> None:
        """Move articles (sorted by id) into a story and release what they held."""
        panes = np.array([article.pane for article in articles])
        for pane in np.unique(panes).tolist():
            here = np.flatnonzero(panes == pane)
            part = summarise([articles[i] for i in here.tolist()], vectors[here])
            self.stories[story] = self.stories[story].add(pane, part)
        self.arrived.setdefault(story, []).extend(a.id for a in articles)
        for article in articles:
            del self.unassigned[article.id]

    def note(self, decisions: dict[str, Decision], vectors: dict[str, Matrix]) -> None:
        """Write down why articles are where they now are."""
        records = dict(self.state.records)
        for article, decision in decisions.items():
            records[article] = replace(
                records[article],
                decision=decision,
                vector=vectors[article].astype(np.float16),
            )
        self.state = replace(self.state, records=records)

    def events(self) -> tuple[Event, ...]:
        """Return what happened: stories expired, were born, grew; by story id."""
        return (
            *(Event(kind="expired", story=s, at=self.end) for s in self.expired),
            *(self._arrival("born", story) for story in self.born),
            *(
                self._arrival("grew", story)
                for story in sorted(self.arrived)
                if story not in self.born
            ),
        )

    def finish(self) -> State:
        """Return the state after the slide."""
        return replace(
            self.state,
            end=self.end,
            stories=self.stories,
            unassigned=self.unassigned,
            next_story=self.next_story,
        )

    def _arrival(self, kind: str, story: str) -> Event:
        articles = tuple(sorted(self.arrived[story]))
        return Event(kind=kind, story=story, at=self.end, articles=articles)
