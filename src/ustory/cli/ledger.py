"""A light record of every story of a run, also of those that have expired."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import assert_never

from ustory.cli.story_record import StoryRecord
from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory.core.story import Event, EventKind, other_story
from ustory.engine.state import State
from ustory.engine.stories import live_stories

KEPT = 2000
"""Stories that have ended, of which a run remembers the largest for its table."""

_PER_WINDOW = 28  # times that stories are described per length of a window, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """A ledger as the state file keeps it."""

    live: tuple[StoryRecord, ...] = ()
    joined: int = 0
    """Articles that ever found a story."""
    stale: frozenset[str] = frozenset()
    """Live stories that changed since they were last described."""
    gone: tuple[StoryRecord, ...] = ()
    """Expired stories that decisions on articles in the window still name."""


class Ledger:
    """The stories of a run, live and expired. Mutable; the records in it are not.

    Of those that expired only the largest are kept: a stream may never end.

    Headline and keywords are taken while a story grows: of one that fades away only
    its last articles would be left to speak. To describe the stories costs about as
    much as a slide, so short slides share it, by a rhythm that the clock of the
    stream alone decides: a run in two parts describes them at the same moments.
    """

    def __init__(self, settings: Settings, state: State, books: Books) -> None:
        self._settings = settings
        self._tick = _tick(state, settings)
        self.live = {record.id: record for record in books.live}
        self.joined = books.joined
        self.in_run = len(self.live)
        """Stories that were live at some time of this run."""
        self._expired: list[StoryRecord] = []
        self._stale = set(books.stale)
        self._gone = {record.id: record for record in books.gone}

    def note(self, state: State, events: Iterable[Event]) -> list[StoryRecord]:
        """Take in what a slide did; return the stories that ended in it."""
        ended = [
            record
            for event in events
            if (record := self._take(state, event)) is not None
        ]
        self._expired += [record for record in ended if not record.into]
        if len(self._expired) > 2 * KEPT:
            self._expired = _largest(self._expired)[:KEPT]
        self._gone |= {record.id: record for record in ended}
        tick = _tick(state, self._settings)
        if tick != self._tick:
            self._tick = tick
            self.describe(state)
            named = _named_in(state)
            self._gone = {k: record for k, record in self._gone.items() if k in named}
        return ended

    def describe(self, state: State) -> None:
        """Bring headline and keywords of the changed stories up to date."""
        if not self._stale:
            return
        for story in live_stories(state, self._settings):
            if story.id in self._stale:
                self.live[story.id] = replace(
                    self.live[story.id],
                    headline=story.headline,
                    keywords=story.keywords,
                )
        self._stale.clear()

    def books(self) -> Books:
        """Return what a later run needs to go on with."""
        return Books(
            live=tuple(self.live.values()),
            joined=self.joined,
            stale=frozenset(self._stale),
            gone=tuple(self._gone.values()),
        )

    def largest(self) -> list[StoryRecord]:
        """Return the stories of the run, the largest first; all but small old ones."""
        return _largest([*self.live.values(), *_largest(self._expired)[:KEPT]])

    def _take(self, state: State, event: Event) -> StoryRecord | None:
        """Update the records by an event; return the story that it ended, if any."""
        other = other_story(event.kind, event.details)
        match event.kind:
            case EventKind.BORN | EventKind.REVIVED | EventKind.GREW:
                self._grow(state, event)
                self.joined += len(event.articles)
            case EventKind.SPLIT | EventKind.MOVED:
                self._lose(state, other or "", event)
                self._grow(state, event)
            case EventKind.RELEASED:
                self._lose(state, event.story, event)
                self.joined -= len(event.articles)
            case EventKind.EXPIRED | EventKind.MERGED:
                return self._end(event.story, other or "")
            case EventKind.METHOD_CHANGED | EventKind.WITHDRAWN:
                pass  # events of archives: they name no story
            case _:
                assert_never(event.kind)
        return None

    def _end(self, story: str, into: str) -> StoryRecord | None:
        """Remove a story that expired or is now part of another, and return it."""
        record = self.live.pop(story, None)
        self._stale.discard(story)
        if record is not None and into:
            self.live[into] = self.live[into].merged_with(record)
            self._stale.add(into)
            self.in_run -= 1  # it counts as part of the other
        return None if record is None else replace(record, live=False, into=into)

    def _lose(self, state: State, story: str, event: Event) -> None:
        if story in self.live:
            moments = [state.records[a].published_at for a in event.articles]
            self.live[story] = self.live[story].left_by(moments)
            self._stale.add(story)

    def _grow(self, state: State, event: Event) -> None:
        articles = [state.records[article] for article in event.articles]
        moments = [article.published_at for article in articles]
        if event.story not in self.live:
            self.in_run += 1
        record = self.live.get(event.story) or StoryRecord(
            id=event.story,
            headline=articles[0].title,
            first_seen=min(moments),
            last_seen=max(moments),
        )
        self.live[event.story] = record.joined_by(moments)
        self._stale.add(event.story)


def _largest(records: list[StoryRecord]) -> list[StoryRecord]:
    return sorted(records, key=lambda record: (-record.articles, record.id))


def _tick(state: State, settings: Settings) -> int:
    """Return the number of the stretch of the stream that a state is in."""
    if isinstance(settings.window, int) and isinstance(settings.slide, int):
        return state.arrivals // max(settings.slide, settings.window // _PER_WINDOW)
    assert isinstance(settings.window, timedelta)
    assert isinstance(settings.slide, timedelta)
    if state.end is None:
        return -1
    return (state.end - EPOCH) // max(settings.slide, settings.window / _PER_WINDOW)


def _named_in(state: State) -> set[str | None]:
    """Return the stories that decisions on articles in the window name."""
    decisions = (record.decision for record in state.records.values())
    return {
        story
        for decision in decisions
        if decision is not None
        for story in (decision.best, decision.runner_up)
    }
