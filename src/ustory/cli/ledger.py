"""A light record of every story of a run, also of those that have expired."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ustory.cli.story_record import StoryRecord
from ustory.core.settings import Settings
from ustory.core.story import Event
from ustory.engine.state import State
from ustory.engine.stories import live_stories

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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

    Headline and keywords are taken while a story grows: of one that fades away only
    its last articles would be left to speak. To describe the stories costs about as
    much as a slide, so short slides share it, by a rhythm that the clock of the
    stream alone decides: a run in two parts describes them at the same moments.
    """

    def __init__(self, settings: Settings, state: State, books: Books) -> None:
        self._settings = settings
        self._tick = _tick(state, settings)
        self.live = {record.id: record for record in books.live}
        self.expired: list[StoryRecord] = []
        self.joined = books.joined
        self._stale = set(books.stale)
        self._gone = {record.id: record for record in books.gone}

    def note(self, state: State, events: Iterable[Event]) -> list[StoryRecord]:
        """Take in what a slide did; return the stories that expired in it."""
        expired = []
        for event in events:
            if event.kind in ("born", "grew"):
                self._grow(state, event)
            elif event.kind == "expired" and event.story in self.live:
                expired.append(replace(self.live.pop(event.story), live=False))
                self._stale.discard(event.story)
        self.expired += expired
        self._gone |= {record.id: record for record in expired}
        tick = _tick(state, self._settings)
        if tick != self._tick:
            self._tick = tick
            self.describe(state)
            named = _named_in(state)
            self._gone = {k: record for k, record in self._gone.items() if k in named}
        return expired

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

    def everything(self) -> list[StoryRecord]:
        """Return all stories of the run, the largest first."""
        records = [*self.live.values(), *self.expired]
        return sorted(records, key=lambda record: (-record.articles, record.id))

    def _grow(self, state: State, event: Event) -> None:
        articles = [state.records[article] for article in event.articles]
        moments = [article.published_at for article in articles]
        record = self.live.get(event.story) or StoryRecord(
            id=event.story,
            headline=articles[0].title,
            first_seen=min(moments),
            last_seen=max(moments),
        )
        self.live[event.story] = record.joined_by(moments)
        self.joined += len(moments)
        self._stale.add(event.story)


def _tick(state: State, settings: Settings) -> int:
    """Return the number of the stretch of the stream that a state is in."""
    if isinstance(settings.window, int) and isinstance(settings.slide, int):
        return state.arrivals // max(settings.slide, settings.window // _PER_WINDOW)
    assert isinstance(settings.window, timedelta)
    assert isinstance(settings.slide, timedelta)
    if state.end is None:
        return -1
    return (state.end - _EPOCH) // max(settings.slide, settings.window / _PER_WINDOW)


def _named_in(state: State) -> set[str | None]:
    """Return the stories that decisions on articles in the window name."""
    decisions = (record.decision for record in state.records.values())
    return {
        story
        for decision in decisions
        if decision is not None
        for story in (decision.best, decision.runner_up)
    }
