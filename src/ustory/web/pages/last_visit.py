"""What happened since a reader's last visit, which a cookie remembers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ustory.core.story import EventKind, other_story
from ustory.core.wording import listed, many
from ustory.store import Connection
from ustory.store.results import events_after
from ustory.store.tables import EventRow

COOKIE = "ustory-looked"
PAUSE = timedelta(minutes=30)
"""After this pause, a new visit begins."""
MAX_EVENTS = 500
"""Events that are counted; if there are more, the text says so."""

_WORDS_OF_KIND: Mapping[str, tuple[str, str]] = {
    EventKind.BORN: ("new to you", "began"),
    EventKind.SPLIT: ("new to you", "began"),
    EventKind.GREW: ("", "grew"),
    EventKind.REVIVED: ("back", "came back"),
    EventKind.MERGED: ("took in another", "merged"),
    EventKind.EXPIRED: ("changed", "ended"),
    EventKind.MOVED: ("changed", ""),
    EventKind.RELEASED: ("changed", ""),
    EventKind.METHOD_CHANGED: ("", ""),
    EventKind.WITHDRAWN: ("", ""),
}
"""The mark of a story and the verb in the summary, by kind of event."""


@dataclass(frozen=True, slots=True)
class LastVisit:
    """How much of the ledger a reader has seen.

    Events up to `seen` count as seen since `at`; `newest` is the last event on their
    last page, and `last` is when they opened it.
    """

    seen: int
    at: datetime
    newest: int
    last: datetime

    @classmethod
    def of(cls, cookie: str | None, newest: int, now: datetime) -> LastVisit:
        """Return the visit of a cookie, updated by a page that is opened now.

        >>> now = datetime(2024, 3, 7, 12, tzinfo=UTC)
        >>> first = LastVisit.of(None, 10, now)
        >>> soon = LastVisit.of(first.cookie, 15, now + timedelta(minutes=5))
        >>> soon.seen, LastVisit.of(soon.cookie, 20, now + timedelta(hours=2)).seen
        (10, 15)
        """
        known = _parsed(cookie)
        if known is None or known.newest > newest or known.last > now:
            return cls(newest, now, newest, now)
        if now - known.last > PAUSE:
            return cls(known.newest, known.last, newest, now)
        return cls(known.seen, known.at, newest, now)

    @property
    def cookie(self) -> str:
        """The value of the cookie."""
        at, last = int(self.at.timestamp()), int(self.last.timestamp())
        return f"{self.seen}.{at}.{self.newest}.{last}"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What happened to stories since the last visit."""

    words: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    """One or two words for each changed story."""


def news_since(connection: Connection, event: int) -> News:
    """Return what happened after an event."""
    events = events_after(connection, event, MAX_EVENTS)
    return News(words=_words(events), marks=_marks(events))


def _marks(events: Iterable[EventRow]) -> dict[str, str]:
    grown: dict[str, int] = {}
    words: dict[str, str] = {}
    for event in events:
        mark, _ = _WORDS_OF_KIND.get(event.kind, ("changed", ""))
        if not event.story:
            continue  # an event of the whole archive
        if event.kind == EventKind.GREW:
            grown[event.story] = grown.get(event.story, 0) + len(event.articles)
        elif event.kind == EventKind.MERGED:
            words[str(other_story(event.kind, event.details))] = mark
        elif mark == "changed":
            words.setdefault(event.story, mark)
        else:
            words[event.story] = mark
    counted = {story: many(count, "new article") for story, count in grown.items()}
    return {**counted, **words}


def _words(events: list[EventRow]) -> str:
    """Return the changes as one sentence; empty if there are none."""
    stories: dict[str, set[str]] = {
        verb: set() for _, verb in _WORDS_OF_KIND.values() if verb
    }
    for event in events:
        _, verb = _WORDS_OF_KIND.get(event.kind, ("", ""))
        if verb:
            stories[verb].add(event.story)
    stories["grew"] -= stories["began"]
    parts = [f"{len(some):,} {verb}" for verb, some in stories.items() if some]
    if not parts:
        return ""
    more = ", and more" if len(events) == MAX_EVENTS else ""
    return f"{listed(parts)}{more}"


def _parsed(cookie: str | None) -> LastVisit | None:
    parts = (cookie or "").split(".")
    if len(parts) != 4 or not all(p.isascii() and p.isdigit() for p in parts):
        return None
    if max(map(len, parts)) > 12:
        return None
    seen, at, newest, last = map(int, parts)
    try:
        moments = [datetime.fromtimestamp(each, UTC) for each in (at, last)]
    except (ValueError, OverflowError, OSError):
        return None
    return LastVisit(seen, moments[0], newest, moments[1])
