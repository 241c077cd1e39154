"""What happened to a story as a whole, in words: merges, splits, revivals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from ustory.core.story import EventKind, other_story
from ustory.core.wording import many
from ustory.store.listing import stories_by_id
from ustory.store.mapping import load_all
from ustory.store.tables import EventRow, events, stories

_MOST = 60
_OTHERS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that happened: words, the story they name, and words behind it."""

    at: datetime
    kind: str
    words: str
    other: str | None = None
    headline: str = ""
    after: str = ""


def turns_of(connection: Connection, story: str) -> list[Turn]:
    """Return what happened to a story besides growth, the newest first."""
    query = select(events).where(
        events.c.story == story, events.c.kind != EventKind.GREW
    )
    own = load_all(
        connection, query.order_by(events.c.id.desc()).limit(_MOST), EventRow
    )
    found = [
        *own,
        *_of_others(connection, story, EventKind.MERGED),
        *_of_others(connection, story, EventKind.SPLIT),
    ]
    found.sort(key=lambda event: -event.id)
    named = {_other(event, story) for event in found} - {None}
    rows = stories_by_id(connection, [str(each) for each in named])
    headlines = {name: row.headline for name, row in rows.items()}
    return [_turn(event, story, headlines) for event in found]


def _of_others(connection: Connection, story: str, kind: EventKind) -> list[EventRow]:
    """Return when others became part of this story, or parts of it others."""
    link = stories.c.merged_into if kind is EventKind.MERGED else stories.c.split_from
    ids = connection.execute(select(stories.c.id).where(link == story).limit(_OTHERS))
    others = list(ids.scalars())
    query = select(events).where(events.c.story.in_(others), events.c.kind == kind)
    rows = load_all(connection, query, EventRow)
    return [row for row in rows if other_story(kind, row.details) == story]


def _other(event: EventRow, story: str) -> str | None:
    own = event.story == story
    return other_story(event.kind, event.details) if own else event.story


def _turn(event: EventRow, story: str, headlines: Mapping[str, str]) -> Turn:
    other = _other(event, story)
    texts = _OF_OTHERS if event.story != story else _OWN
    words, after = texts.get(event.kind, _unknown)(event)
    return Turn(
        at=event.at,
        kind=event.kind,
        words=words,
        other=other,
        headline=headlines.get(other or "", ""),
        after=after,
    )


_Text = Callable[[EventRow], tuple[str, str]]


def _count(event: EventRow) -> str:
    return many(len(event.articles), "article")


def _with(words: str) -> _Text:
    return lambda event: (words, f", with {_count(event)}.")


def _revived(event: EventRow) -> tuple[str, str]:
    days = event.details.get("days")
    silence = f" after {days:.0f} days of silence" if isinstance(days, float) else ""
    return f"Came back{silence}, with {_count(event)}.", ""


def _unknown(event: EventRow) -> tuple[str, str]:
    """Name a kind that only a later release knows: the archive may be newer."""
    return f"{event.kind.capitalize()}.", ""


_OWN: Mapping[str, _Text] = {
    EventKind.BORN: lambda event: (f"Began with {_count(event)}.", ""),
    EventKind.GREW: lambda event: (f"Grew by {_count(event)}.", ""),
    EventKind.REVIVED: _revived,
    EventKind.EXPIRED: lambda _: ("Ended: its last article left the window.", ""),
    EventKind.MERGED: lambda _: ("Became part of", "."),
    EventKind.SPLIT: _with("Split off from"),
    EventKind.MOVED: lambda event: (f"Took over {_count(event)} from", "."),
    EventKind.RELEASED: lambda event: (
        f"Lost {_count(event)} that no longer fit.",
        "",
    ),
    EventKind.METHOD_CHANGED: lambda _: ("The method changed.", ""),
    EventKind.WITHDRAWN: lambda _: ("Articles were withdrawn.", ""),
}
"""What a page says about the events of a story: words before and after the other."""
_OF_OTHERS: Mapping[str, _Text] = {
    EventKind.MERGED: _with("Took in"),
    EventKind.SPLIT: lambda event: (
        f"{_count(event).capitalize()} left it and began",
        ".",
    ),
}
