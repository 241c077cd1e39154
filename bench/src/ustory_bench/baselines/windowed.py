"""The window every baseline stands on: articles in and out, ids, events, snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.core.spans import format_span
from ustory.core.story import Event, EventKind, Slide
from ustory.engine.snapshot import seal, unseal
from ustory.window.duplicates import refuse_duplicates
from ustory.window.panes import Calendar
from ustory_bench.baselines.document import Document, document_of

Memory = TypeVar("Memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The articles of the window and the story of each."""

    end: datetime | None = None
    """Exclusive end of the last slide."""
    next_story: int = 1
    too_late: int = 0
    """Articles that were older than the window when they arrived."""
    documents: Mapping[str, Document] = field(default_factory=dict)
    """In order of id."""
    story: Mapping[str, str | None] = field(default_factory=dict)
    """The story of each document, None for unassigned; in order of id."""


@dataclass(frozen=True, slots=True)
class Held(Generic[Memory]):
    """The state of a baseline: the window, and what the method remembers besides."""

    window: Window
    memory: Memory


@dataclass(slots=True)
class Turn(Generic[Memory]):
    """One slide, as a baseline is asked to settle it."""

    end: datetime
    documents: Mapping[str, Document]
    """All articles of the window, the new ones included, in order of id."""
    new: Sequence[Document]
    """Those that just arrived, oldest first; equal times in order of id."""
    story: Mapping[str, str | None]
    """Where each older article was, in order of id."""
    memory: Memory
    """What the method remembered; never change it, return another."""
    next_story: int

    def new_story(self) -> str:
        """Return an id that was never used."""
        self.next_story += 1
        return f"s{self.next_story - 1:06d}"

    @property
    def members(self) -> dict[str, list[str]]:
        """Articles of each live story before the turn, in order of id; oldest first."""
        found: dict[str, list[str]] = {}
        for article, story in self.story.items():
            if story is not None:
                found.setdefault(story, []).append(article)
        return dict(sorted(found.items()))


class WindowedDiscoverer(ABC, Generic[Memory]):
    """A `Discoverer` of which only `settle` has to be written.

    `settle` must not depend on anything but the turn: no clock, no global
    randomness, no order of sets.
    """

    memory_type: ClassVar[type]
    """A dataclass of typed fields (`ustory.engine.snapshot`) with empty defaults."""

    def __init__(self, settings: Settings, **parameters: Any) -> None:  # noqa: ANN401
        calendar = Calendar.of(settings)
        if calendar is None:
            raise ConfigError(
                "baselines know windows by time only; got "
                f"{format_span(settings.window)} articles: give a duration like 7d"
            )
        self.settings = settings
        self._calendar = calendar
        self._about = {
            "method": type(self).__name__,
            "window": format_span(settings.window),
            "slide": format_span(settings.slide),
            "seed": settings.seed,
            "parameters": dict(sorted(parameters.items())),
        }

    @abstractmethod
    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Return the story of every article of the window, and the next memory.

        A story is one of `turn.story`, or an id from `turn.new_story()`.
        """

    def begin(self) -> Held[Memory]:
        """Return the state before the first slide."""
        return Held(Window(), self.memory_type())

    def advance(
        self, state: Held[Memory], slide: Slide
    ) -> tuple[Held[Memory], Sequence[Event]]:
        """Take in one slide; the given state is left as it was."""
        before = state.window
        new, too_late = self._arrivals(before, slide)
        first = self._calendar.first_pane(slide.end)
        kept = {k: d for k, d in before.documents.items() if d.pane >= first}
        turn = Turn(
            end=slide.end,
            documents=dict(sorted({**kept, **{d.id: d for d in new}}.items())),
            new=new,
            story={article: before.story[article] for article in kept},
            memory=state.memory,
            next_story=before.next_story,
        )
        found, memory = self.settle(turn)
        story = {article: found[article] for article in turn.documents}
        window = Window(
            end=slide.end,
            next_story=turn.next_story,
            too_late=before.too_late + too_late,
            documents=turn.documents,
            story=story,
        )
        return Held(window, memory), _events(before, story, slide.end)

    def assignments(self, state: Held[Memory]) -> Mapping[str, str | None]:
        """Return the story of each article in the window, None for unassigned."""
        return state.window.story

    def freeze(self, state: Held[Memory]) -> bytes:
        """Write the state down, with the parameters it was made with."""
        inner = seal(state.memory, {})
        return seal(_Frozen(state.window, inner.hex()), self._about)

    def thaw(self, data: bytes) -> Held[Memory]:
        """Read back what `freeze` wrote; the state of another method is refused."""
        frozen, about = unseal(data, _Frozen, "the frozen state")
        if about != self._about:
            raise StateError(
                f"the frozen state was made by {about.get('method')} with other "
                f"settings ({about}); use those, or start anew"
            )
        memory: Memory
        memory, _ = unseal(
            bytes.fromhex(frozen.memory), self.memory_type, "the frozen state"
        )
        return Held(frozen.window, memory)

    def _arrivals(self, before: Window, slide: Slide) -> tuple[list[Document], int]:
        first = self._calendar.first_pane(slide.end)
        last = self._calendar.last_pane(slide.end)
        kept = {k for k, d in before.documents.items() if d.pane >= first}
        ids = [prepared.article.id for prepared in slide.articles]
        refuse_duplicates(ids, kept, "slide")
        new: dict[str, Document] = {}
        for prepared in slide.articles:
            pane = min(self._calendar.pane_of(prepared.article.published_at), last)
            document = document_of(prepared, pane)
            new[document.id] = document
        fresh = [d for d in new.values() if d.pane >= first]
        return sorted(fresh, key=lambda d: (d.day, d.id)), len(new) - len(fresh)


@dataclass(frozen=True, slots=True)
class _Frozen:
    window: Window
    memory: str


def _events(
    before: Window, story: Mapping[str, str | None], end: datetime
) -> tuple[Event, ...]:
    """Return what became of the stories: gone, merged, born, grown; by story id."""
    was, now = _stories(before.story.values()), _stories(story.values())
    joined: dict[str, list[str]] = {}
    for article, found in story.items():
        if found is not None and before.story.get(article) != found:
            joined.setdefault(found, []).append(article)
    ended = [_ending(each, before.story, story, end) for each in sorted(was - now)]
    arrived = [
        Event(
            kind=EventKind.GREW if each in was else EventKind.BORN,
            story=each,
            at=end,
            articles=tuple(articles),
        )
        for each, articles in sorted(joined.items())
    ]
    return (*ended, *sorted(arrived, key=lambda event: event.kind))


def _stories(values: Iterable[str | None]) -> set[str]:
    return {story for story in values if story is not None}


def _ending(
    gone: str,
    before: Mapping[str, str | None],
    story: Mapping[str, str | None],
    end: datetime,
) -> Event:
    """Return `merged` where all that was left of a story is now in one other."""
    left = {story[a] for a, s in before.items() if s == gone and a in story}
    if len(left) == 1 and None not in left:
        return Event(
            kind=EventKind.MERGED, story=gone, at=end, details={"into": str(left.pop())}
        )
    return Event(kind=EventKind.EXPIRED, story=gone, at=end)
