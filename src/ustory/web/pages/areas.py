"""Small pictures that need no script: areas and stacked bars as SVG paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 600, 60
"""The box that areas are drawn in; the page stretches it."""


def area(values: Sequence[float], most: float) -> str:
    """Return the path of the area under steps, as high as `most` at the most.

    >>> area([0, 1], 1)
    'M0 60V60H300V0H600V60Z'
    """
    if not values:
        return ""
    step, top = WIDTH / len(values), max(most, 1)
    parts = [
        f"V{_plain(HEIGHT * (1 - value / top))}H{_plain(step * (place + 1))}"
        for place, value in enumerate(values)
    ]
    return f"M0 {HEIGHT}{''.join(parts)}V{HEIGHT}Z"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a bar."""

    x: float
    y: float
    width: float
    height: float
    series: int
    """Which of the names it is of, from 1."""


def stacked(
    bars: Sequence[Mapping[str, float]], names: Sequence[str], most: float
) -> list[Piece]:
    """Return the pieces of stacked bars, side by side from the left.

    What is higher than `most` is cut off.
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
