"""What happened to stories since a reader's last visit, each story counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ustory.core.story import EventKind, other_story
from ustory.core.wording import listed, many
from ustory.store import Connection
from ustory.store.listing import stories_by_id
from ustory.store.results import events_after, last_event
from ustory.store.story_articles import stories_of_articles
from ustory.store.tables import EventRow, StoryRow
from ustory.web.errors import ApiError

MAX_EVENTS = 1_000
"""Events that are looked at, the newest; if there are more, the sentence says so."""
VERBS: Mapping[str, str] = {
    EventKind.BORN: "began",
    EventKind.SPLIT: "began",
    EventKind.GREW: "grew",
    EventKind.REVIVED: "came back",
    EventKind.MERGED: "took in others",
    EventKind.EXPIRED: "ended",
    EventKind.MOVED: "changed",
    EventKind.RELEASED: "changed",
    EventKind.METHOD_CHANGED: "",
    EventKind.WITHDRAWN: "",
}
"""What a story did, by kind of event, in the order of the sentence; or nothing."""


class StoryChange(NamedTuple):
    """What happened to a story: the verb of the sentence, and its mark in the list."""

    verb: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What happened to stories since the last visit."""

    words: str = ""
    """How many stories did what, in a sentence; their sum is that of `marks`."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """One or two words for each changed story, the hottest first."""

    def page(self, cursor: str, size: int) -> tuple[list[str], str | None]:
        """Return the changed stories of a page, and the cursor of the next.

        >>> News(marks={"a": "new", "b": "new", "c": "new"}).page("2", 2)
        (['c'], None)
        """
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 7):
            if cursor:
                raise ApiError(404, "there is no page at this cursor; begin again")
            cursor = "0"
        start, ids = int(cursor), list(self.marks)
        end = start + size
        return ids[start:end], str(end) if end < len(ids) else None


def news_since(connection: Connection, event: int) -> News:
    """Return what happened after an event, told of the stories as they are now.

    A story that was merged is told as the one that it is part of. New articles are
    those that a story was given since and still has, each counted once.
    """
    newest = last_event(connection)
    first = max(event, newest - MAX_EVENTS)
    after = events_after(connection, first, MAX_EVENTS)
    events = [e for e in after if e.story and VERBS.get(e.kind, "changed")]
    if not events:
        return News()
    rows = present_stories(connection, _named(events))
    slide = _slide_of(connection, event)
    places = stories_of_articles(connection, _grown(events))
    own: dict[str, list[EventRow]] = {}
    for each in events:
        for name in _named([each]) & rows.keys():
            own.setdefault(rows[name].id, []).append(each)
    found = {row.id: row for row in rows.values() if row.id in own}
    hottest = sorted(found.values(), key=lambda row: (-row.heat, row.id))
    changes = {row.id: _change(row, own[row.id], slide, places) for row in hottest}
    return News(
        words=_words(changes.values(), newest - event),
        marks={name: change.mark for name, change in changes.items()},
    )


def present_stories(
    connection: Connection, ids: Collection[str]
) -> dict[str, StoryRow]:
    """Return for each id the story that it is part of now, mostly itself."""
    known: dict[str, StoryRow] = {}
    wanted = set(ids)
    while wanted:
        known |= stories_by_id(connection, sorted(wanted))
        parts = {row.merged_into for row in known.values() if row.merged_into}
        wanted = {name for name in parts if name not in known and name not in wanted}
    return {name: _end(name, known) for name in ids if name in known}


def _end(name: str, known: Mapping[str, StoryRow]) -> StoryRow:
    row, seen = known[name], {name}
    while (into := row.merged_into) is not None and into in known and into not in seen:
        seen.add(into)
        row = known[into]
    return row


def _named(events: Iterable[EventRow]) -> set[str]:
    """Return the stories that events changed: of a merge, split or move, both."""
    pairs = ((each.story, other_story(each.kind, each.details)) for each in events)
    return {name for pair in pairs for name in pair if name}


def _grown(events: Iterable[EventRow]) -> list[str]:
    return [a for each in events if each.kind == EventKind.GREW for a in each.articles]


def _slide_of(connection: Connection, event: int) -> int:
    """Return the slide of an event; 0 before the first."""
    found = events_after(connection, event - 1, 1)
    return found[0].slide if found and found[0].id == event else 0


def _change(
    row: StoryRow,
    events: Sequence[EventRow],
    slide: int,
    places: Mapping[str, str | None],
) -> StoryChange:
    """Return the one thing that is told of a story; `slide` is the last one seen."""
    kinds = {event.kind for event in events}
    taken = {e.story for e in events if e.kind == EventKind.MERGED} - {row.id}
    came = {name for name in _grown(events) if places.get(name) == row.id}
    if row.status != "live":
        return StoryChange("ended", "ended")
    if row.born_slide > slide:
        return StoryChange("began", "new to you")
    if EventKind.REVIVED in kinds:
        return StoryChange("came back", "back")
    if taken:
        others = "another" if len(taken) == 1 else f"{len(taken):,} others"
        return StoryChange("took in others", f"took in {others}")
    if came:
        return StoryChange("grew", many(len(came), "new article"))
    return StoryChange("changed", "changed")


def _words(changes: Collection[StoryChange], events: int) -> str:
    """Return the changes as one sentence."""
    counts = Counter(change.verb for change in changes)
    parts = [
        f"{counts[verb]:,} {verb}"
        for verb in dict.fromkeys(VERBS.values())
        if counts[verb]
    ]
    words = listed(parts)
    if events > MAX_EVENTS:
        words += f" (told by the newest {MAX_EVENTS:,} of {events:,} events)"
    return words
