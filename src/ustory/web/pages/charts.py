"""Small pictures without a script: sparklines, areas and stacked bars as SVG."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from ustory.core.wording import many
from ustory.store import Connection
from ustory.store.listing import days_of_stories

DAYS = 14
"""Days that a sparkline shows."""
_STEP, _BAR, _HEIGHT, _LOWEST = 8.0, 6.0, 28.0, 1.0
_MIN_TOP = 4
"""Articles of a full bar at least: two in a day should not look like many."""
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Bar:
    """One day."""

    x: float
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """A drawing, and its description in words."""

    bars: tuple[Bar, ...]
    width: float
    height: float = _HEIGHT
    bar: float = _BAR
    words: str


def spark_of(counts: Sequence[int]) -> Spark:
    """Return the drawing of articles per day, the last day at the right.

    >>> spark_of([0, 2, 4]).words
    '6 articles in 3 days: at most 4 a day, 4 on the last'
    >>> [bar.height for bar in spark_of([0, 2, 4]).bars]
    [1.0, 14.0, 28.0]
    """
    most = max([*counts, _MIN_TOP])
    heights = [max(_LOWEST, round(_HEIGHT * count / most, 2)) for count in counts]
    bars = tuple(
        Bar(x=at * _STEP, y=round(_HEIGHT - height, 2), height=height)
        for at, height in enumerate(heights)
    )
    total, days = many(sum(counts), "article"), many(len(counts), "day")
    last = counts[-1] if counts else 0
    return Spark(
        bars=bars,
        width=max(_STEP * len(counts), _STEP),
        words=f"{total} in {days}: at most {max([*counts, 0]):,} a day, {last:,} on "
        "the last",
    )


def day_number(moment: datetime) -> int:
    """Return the number of a day, as the store counts days.

    >>> day_number(datetime(1970, 1, 3, 23, tzinfo=UTC))
    2
    """
    return (moment.astimezone(UTC).date() - _EPOCH).days


def sparks(
    connection: Connection, stories: Collection[str], now: datetime
) -> dict[str, Spark]:
    """Return a drawing of the last days for each story."""
    last = day_number(now)
    first = last - DAYS + 1
    counts = {story: [0] * DAYS for story in stories}
    for day in days_of_stories(connection, stories, first, last):
        counts[day.story][day.day - first] = day.articles
    return {story: spark_of(found) for story, found in counts.items()}


WIDTH, HEIGHT = 600, 60
"""The size of the drawing; the page scales it."""


def area(values: Sequence[float], most: float) -> str:
    """Return the path of the area under steps; `most` is the full height.

    >>> area([0, 1], 1)
    'M0 60V60H300V0H600V60Z'
    """
    return f"M0 {HEIGHT}{_steps(values, most)}V{HEIGHT}Z" if values else ""


def edge(values: Sequence[float], most: float) -> str:
    """Return the path of the upper edge of such an area.

    >>> edge([0, 1], 1)
    'M0 60H300V0H600'
    """
    return f"M0 {_steps(values, most)[1:]}" if values else ""


def _steps(values: Sequence[float], most: float) -> str:
    step, top = WIDTH / len(values), max(most, 1)
    return "".join(
        f"V{_plain(HEIGHT * (1 - value / top))}H{_plain(step * (place + 1))}"
        for place, value in enumerate(values)
    )


MAX_TICKS = 5
"""Times that are named below a picture: more would not fit on a phone."""


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time named below a picture."""

    at: str
    """Its place, in percent of the width."""
    words: str


def ticks(steps: Sequence[datetime], *, by_hour: bool) -> list[NamedTime]:
    """Return some of the times at which steps begin, evenly apart.

    >>> days = [datetime(2024, 3, day, tzinfo=UTC) for day in range(1, 9)]
    >>> [(tick.at, tick.words) for tick in ticks(days, by_hour=False)]
    [('0', '1 Mar'), ('25', '3 Mar'), ('50', '5 Mar'), ('75', '7 Mar')]
    """
    apart = -(-len(steps) // MAX_TICKS)
    if by_hour:
        apart = next((hours for hours in (1, 3, 6, 12, 24) if hours >= apart), 48)
    # hours are named so that midnight, with its date, is one of them
    whole = (at for at, each in enumerate(steps) if each.hour % min(apart, 24) == 0)
    chosen = range(next(whole, 0) if by_hour else 0, len(steps), max(apart, 1))
    return [
        NamedTime(
            _plain(100 * place / len(steps)), _named(steps[place], by_hour=by_hour)
        )
        for place in chosen
    ]


def _named(moment: datetime, *, by_hour: bool) -> str:
    if by_hour and moment.hour:
        return f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a bar."""

    x: float
    y: float
    width: float
    height: float
    series: int
    """The number of its name, from 1."""


def stacked(
    bars: Sequence[Mapping[str, float]], names: Sequence[str], most: float
) -> list[Piece]:
    """Return the pieces of stacked bars, side by side from the left.

    Higher bars than `most` are cut off.
    """
    if not bars:
        return []
    step, top = WIDTH / len(bars), max(most, 1e-9)
    pieces = []
    for place, bar in enumerate(bars):
        y = float(HEIGHT)
        for number, name in enumerate(names, 1):
            high = min(HEIGHT * bar.get(name, 0.0) / top, y)
            if high < 0.05:
                continue
            y -= high
            x, wide = step * place, max(step * 0.8, 0.5)
            found = [round(v, 2) for v in (x, y, wide, high)]
            pieces.append(Piece(found[0], found[1], found[2], found[3], number))
    return pieces


def paths(pieces: Sequence[Piece]) -> dict[int, str]:
    """Return one path for all pieces of a series, by its number.

    >>> paths([Piece(0, 45, 8, 15, 1)])
    {1: 'M0 45h8v15h-8z'}
    """
    found: dict[int, str] = {}
    for piece in pieces:
        drawn = (
            f"M{_plain(piece.x)} {_plain(piece.y)}h{_plain(piece.width)}"
            f"v{_plain(piece.height)}h-{_plain(piece.width)}z"
        )
        found[piece.series] = found.get(piece.series, "") + drawn
    return found


def _plain(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
