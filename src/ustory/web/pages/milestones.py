"""What happened to a story as a whole, in words: merges, splits, revivals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from ustory.store.listing import stories_by_id
from ustory.store.mapping import load_all
from ustory.store.rows import EventRow
from ustory.store.schema import events, stories
from ustory.web.pages.formatting import many

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
    query = select(events).where(events.c.story == story, events.c.kind != "grew")
    own = load_all(
        connection, query.order_by(events.c.id.desc()).limit(_MOST), EventRow
    )
    found = [
        *own,
        *_of_others(connection, story, "merged"),
        *_of_others(connection, story, "split"),
    ]
    found.sort(key=lambda event: -event.id)
    named = {_other(event, story) for event in found} - {None}
    rows = stories_by_id(connection, [str(each) for each in named])
    headlines = {name: row.headline for name, row in rows.items()}
    return [_turn(event, story, headlines) for event in found]


def _of_others(connection: Connection, story: str, kind: str) -> list[EventRow]:
    """Return when others became part of this story, or parts of it others."""
    link = stories.c.merged_into if kind == "merged" else stories.c.split_from
    ids = connection.execute(select(stories.c.id).where(link == story).limit(_OTHERS))
    others = list(ids.scalars())
    query = select(events).where(events.c.story.in_(others), events.c.kind == kind)
    detail = "into" if kind == "merged" else "from"
    rows = load_all(connection, query, EventRow)
    return [row for row in rows if row.details.get(detail) == story]


def _other(event: EventRow, story: str) -> str | None:
    if event.story != story:
        return event.story
    name = event.details.get("into") or event.details.get("from")
    return None if name is None else str(name)


def _turn(event: EventRow, story: str, headlines: Mapping[str, str]) -> Turn:
    other = _other(event, story)
    say = _THEIRS if event.story != story else _OWN
    words, after = say.get(event.kind, _unknown)(event)
    return Turn(
        at=event.at,
        kind=event.kind,
        words=words,
        other=other,
        headline=headlines.get(other or "", ""),
        after=after,
    )


_Saying = Callable[[EventRow], tuple[str, str]]


def _count(event: EventRow) -> str:
    return many(len(event.articles), "article")


def _with(words: str) -> _Saying:
    return lambda event: (words, f", with {_count(event)}.")


def _revived(event: EventRow) -> tuple[str, str]:
    days = event.details.get("days")
    silence = f" after {days:.0f} days of silence" if isinstance(days, float) else ""
    return f"Came back{silence}, with {_count(event)}.", ""


def _unknown(event: EventRow) -> tuple[str, str]:
    return f"{event.kind.capitalize()}.", ""


_OWN: Mapping[str, _Saying] = {
    "born": lambda event: (f"Began with {_count(event)}.", ""),
    "revived": _revived,
    "expired": lambda _: ("Ended: its last article left the window.", ""),
    "merged": lambda _: ("Became part of", "."),
    "split": _with("Split off from"),
    "moved": lambda event: (f"Took over {_count(event)} from", "."),
    "released": lambda event: (f"Let go of {_count(event)} that fitted no more.", ""),
}
_THEIRS: Mapping[str, _Saying] = {
    "merged": _with("Took in"),
    "split": lambda event: (f"{_count(event).capitalize()} left it and began", "."),
}
