"""How the keywords of a story moved from day to day: as a table of ranks, and in words.

Each column is a day with its words, the weightiest first; a word keeps its colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ustory.core.wording import listed
from ustory.web.models.stories import DayOut

RANKS = 6
"""Words of a day that are shown."""
DAYS = 7
"""Days that are shown, the newest ones."""
_COLOURS = 8
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A word on a day."""

    word: str
    colour: int
    """1 to 8 for the words that matter most, 0 for others."""
    move: str
    """`new`, `back`, `up`, `down` or `same`, against the day before."""
    by: int = 0
    """How many ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """The table, and what it says."""

    days: Sequence[date]
    rows: Sequence[Sequence[Cell | None]]
    """One for each rank; a cell for each day."""
    words: Sequence[str]


def moves_of(days: Sequence[DayOut]) -> Moves | None:
    """Return how keywords moved, None where fewer than two days have any."""
    told = [day for day in days if day.keywords][-DAYS:]
    if len(told) < 2:
        return None
    columns = [day.keywords[:RANKS] for day in told]
    colours = _colours(columns)
    cells = [_column(columns, at, colours) for at in range(len(columns))]
    height = max(map(len, columns))
    return Moves(
        days=[day.day for day in told],
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
    """Return colours for the words that were high for long; one day needs none."""
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
    told = [
        ("throughout: {}", kept),
        ("risen: {}", risen),
        ("come: {}", came),
        ("gone: {}", went),
    ]
    return [form.format(_quoted(words)) for form, words in told if words]


def _quoted(words: Sequence[str]) -> str:
    return listed([f"“{word}”" for word in words[:_NAMED]])


def _at(column: Sequence[Cell], rank: int) -> Cell | None:
    return column[rank] if rank < len(column) else None
