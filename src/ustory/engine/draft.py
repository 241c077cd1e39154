"""A slide of mode `paper` in progress: a state that may be changed until it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from ustory.core.arrays import Matrix, Vector
from ustory.core.story import Event, EventKind
from ustory.engine.state import Noted, Record, Standing, State
from ustory.paper.seeding.seed import Live
from ustory.window.summary import StorySummary, add_articles
from ustory.window.unassigned import UnassignedArticle


@dataclass(slots=True)
class PaperDraft:
    """Mutable copy of a state; the state it came from stays as it was."""

    state: State
    end: datetime
    stories: dict[str, StorySummary]
    unassigned: dict[str, UnassignedArticle]
    records: dict[str, Record]
    arrived: dict[str, list[str]] = field(default_factory=dict)
    """Articles that joined each story in this slide."""
    born: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)
    next_story: int = 1
    live: Live = field(default_factory=Live)
    """The stories that articles of the slide were scored against."""
    standing: Standing | None = None

    @classmethod
    def of(cls, state: State, end: datetime) -> PaperDraft:
        """Return a draft of the slide that ends at `end`."""
        return cls(
            state,
            end,
            dict(state.stories),
            dict(state.unassigned),
            dict(state.records),
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
        self,
        stories: Sequence[str],
        members: Sequence[Sequence[UnassignedArticle]],
        vectors: Sequence[Matrix],
    ) -> None:
        """Move articles (sorted by id) into stories and release what they held."""
        before = [self.stories[story] for story in stories]
        grown = add_articles(before, members, vectors)
        for story, articles, summary in zip(stories, members, grown, strict=True):
            self.stories[story] = summary
            self.arrived.setdefault(story, []).extend(a.id for a in articles)
            for article in articles:
                del self.unassigned[article.id]

    def note(self, noted: Noted) -> None:
        """Store the decisions on articles in their records."""
        vectors = noted.vectors.astype(np.float16)
        for row, (article, decision) in enumerate(noted.decisions.items()):
            record = self.records[article]
            self.records[article] = record.decided(decision, vectors[row])

    def excess(self, articles: Sequence[str]) -> Vector:
        """Return Σ e^(T·sim) − |C| of each article over the live stories."""
        if self.standing is None:
            return np.zeros(len(articles))
        rows = [self.standing.articles[article] for article in articles]
        return self.standing.verdicts.excess[rows]

    def best_live(self, article: str) -> tuple[str | None, float]:
        """Return the live story most similar to an article, and how similar it is."""
        if self.standing is None:
            return None, 0.0
        row = self.standing.articles[article]
        number = int(self.standing.verdicts.best[row])
        if number < 0:
            return None, 0.0
        return self.standing.stories[number], float(
            self.standing.verdicts.similarity[row]
        )

    def events(self) -> tuple[Event, ...]:
        """Return what happened: stories expired, were born, grew; by story id."""
        return (
            *(
                Event(kind=EventKind.EXPIRED, story=s, at=self.end)
                for s in self.expired
            ),
            *(self._arrival(EventKind.BORN, story) for story in self.born),
            *(
                self._arrival(EventKind.GREW, story)
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
            unassigned={k: a.on_its_own() for k, a in self.unassigned.items()},
            records=self.records,
            next_story=self.next_story,
            standing=self.standing,
        )

    def _arrival(self, kind: EventKind, story: str) -> Event:
        articles = tuple(sorted(self.arrived[story]))
        return Event(kind=kind, story=story, at=self.end, articles=articles)
