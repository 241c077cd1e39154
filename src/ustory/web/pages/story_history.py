"""The history of a story: merges, splits, revivals, and the ranks of keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from ustory.core.story import EventKind, other_story
from ustory.core.wording import listed, many
from ustory.store import Connection
from ustory.store.listing import merged_stories, split_stories, stories_by_id
from ustory.store.results import events_of_kind, newest_events_except
from ustory.store.tables import EventRow
from ustory.stories.language_rows import language_for_reader
from ustory.web.models.shared import Tags
from ustory.web.models.stories import DayOut

_MAX_EVENTS = 60
_MAX_OTHERS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Milestone:
    """An event in the history: words, the story they name, and words after it."""

    at: datetime
    kind: str
    words: str
    other: str | None = None
    headline: str = ""
    after: str = ""


def milestones_of(
    connection: Connection, story: str, reader: Tags = ()
) -> list[Milestone]:
    """Return the events of a story except growth, the newest first."""
    own = newest_events_except(connection, story, EventKind.GREW, _MAX_EVENTS)
    found = [
        *own,
        *_of_others(connection, story, EventKind.MERGED),
        *_of_others(connection, story, EventKind.SPLIT),
    ]
    found.sort(key=lambda event: -event.id)
    named = {_other(event, story) for event in found} - {None}
    rows = stories_by_id(connection, [str(each) for each in named])
    headlines = {
        name: language_for_reader(row, reader).headline for name, row in rows.items()
    }
    return [_milestone(event, story, headlines) for event in found]


def _of_others(connection: Connection, story: str, kind: EventKind) -> list[EventRow]:
    """Return the events of stories that merged into this one or split from it."""
    linked = merged_stories if kind is EventKind.MERGED else split_stories
    rows = events_of_kind(connection, linked(connection, story, _MAX_OTHERS), kind)
    return [row for row in rows if other_story(kind, row.details) == story]


def _other(event: EventRow, story: str) -> str | None:
    own = event.story == story
    return other_story(event.kind, event.details) if own else event.story


def _milestone(event: EventRow, story: str, headlines: Mapping[str, str]) -> Milestone:
    other = _other(event, story)
    texts = _OF_OTHERS if event.story != story else _OWN
    words, after = texts.get(event.kind, _unknown)(event)
    return Milestone(
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
    """Name an unknown kind: a later release may have written it."""
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
"""The text of a story's events: words before and after the other story."""
_OF_OTHERS: Mapping[str, _Text] = {
    EventKind.MERGED: _with("Took in"),
    EventKind.SPLIT: lambda event: (
        f"{_count(event).capitalize()} left it and began",
        ".",
    ),
}


RANKS = 6
"""Words per day."""
DAYS = 7
"""The number of days, the newest ones."""
_COLOURS = 8
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A word on a day."""

    word: str
    colour: int
    """1 to 8 for the most important words, 0 for others."""
    move: str
    """`new`, `back`, `up`, `down` or `same`, compared with the day before."""
    by: int = 0
    """By how many ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """The table, and a summary in words."""

    days: Sequence[date]
    rows: Sequence[Sequence[Cell | None]]
    """One for each rank; a cell for each day."""
    words: Sequence[str]


def moves_of(days: Sequence[DayOut]) -> Moves | None:
    """Return how keywords moved; None if fewer than two days have any."""
    shown = [day for day in days if day.keywords][-DAYS:]
    if len(shown) < 2:
        return None
    columns = [day.keywords[:RANKS] for day in shown]
    colours = _colours(columns)
    cells = [_column(columns, at, colours) for at in range(len(columns))]
    height = max(map(len, columns))
    return Moves(
        days=[day.day for day in shown],
        rows=[[_at(column, rank) for column in cells] for rank in range(height)],
        words=_words(columns),
    )


def _column(
    columns: Sequence[Sequence[str]], at: int, colours: Mapping[str, int]
) -> list[Cell]:
    before = columns[at - 1] if at else None
    earlier = {word for column in columns[:at] for word in column}
    found = []
    for rank, word in enumerate(columns[at]):
        move, by = "same", 0
        if before is not None and word in before:
            by = list(before).index(word) - rank
            move = "up" if by > 0 else "down" if by else "same"
        elif before is not None:
            move = "back" if word in earlier else "new"
        colour = colours.get(word, 0)
        found.append(Cell(word=word, colour=colour, move=move, by=abs(by)))
    return found


def _colours(columns: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return colours for words that ranked high on several days."""
    weight: dict[str, int] = {}
    seen: dict[str, int] = {}
    for column in columns:
        for rank, word in enumerate(column):
            weight[word] = weight.get(word, 0) + RANKS - rank
            seen[word] = seen.get(word, 0) + 1
    lasting = [word for word in weight if seen[word] > 1]
    lasting.sort(key=lambda word: (-weight[word], word))
    return {word: number for number, word in enumerate(lasting[:_COLOURS], start=1)}


def _words(columns: Sequence[Sequence[str]]) -> list[str]:
    first, last = list(columns[0]), list(columns[-1])
    kept = [word for word in last if all(word in column for column in columns)]
    came = [word for word in last if word not in first]
    went = [word for word in first if word not in last]
    risen = [w for w in last if w in first and last.index(w) + 1 < first.index(w)]
    shown = [
        ("throughout: {}", kept),
        ("risen: {}", risen),
        ("come: {}", came),
        ("gone: {}", went),
    ]
    return [form.format(_quoted(words)) for form, words in shown if words]


def _quoted(words: Sequence[str]) -> str:
    return listed([f"“{word}”" for word in words[:_NAMED]])


def _at(column: Sequence[Cell], rank: int) -> Cell | None:
    return column[rank] if rank < len(column) else None
