"""Hostile texts of any size: a piece again and again between a start and an end."""

from __future__ import annotations

from collections.abc import Callable


def repeat(*pieces: str) -> Callable[[int], str]:
    """Return what makes a text of a size: a start, a piece again and again, an end."""
    start, piece, end = pieces if len(pieces) == 3 else ("", pieces[0], "")

    def make(size: int) -> str:
        return start + piece * ((size - len(start) - len(end)) // len(piece)) + end

    return make


def numbered(start: str, piece: str, end: str) -> Callable[[int], str]:
    """Return what makes a text of a size, with a number in each piece."""

    def make(size: int) -> str:
        one = len(piece.format(n=100_000))
        middle = "".join(piece.format(n=100_000 + n) for n in range(size // one))
        return start + middle + end

    return make
