"""Articles per day, drawn in one line of text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

_BARS = "▁▂▃▄▅▆▇█"
_NOTHING = "·"


def sparkline(days: Mapping[date, int], first: date, last: date, width: int) -> str:
    """Return one bar per day from `first` to `last`, days drawn together to fit.

    The highest bar is the story's own maximum; a dot is a day without an article.

    >>> day = date(2024, 3, 4).replace
    >>> sparkline({day(day=4): 4, day(day=6): 1}, day(day=3), day(day=6), width=9)
    '·█·▂'
    """
    span = (last - first).days + 1
    together = -(-span // width)
    sums = [0] * -(-span // together)
    for day, count in days.items():
        sums[(day - first).days // together] += count
    highest = max(sums, default=0)
    return "".join(
        _BARS[-(-count * len(_BARS) // highest) - 1] if count else _NOTHING
        for count in sums
    )
