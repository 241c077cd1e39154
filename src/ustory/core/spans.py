"""Window and slide sizes: a duration, or a number of articles."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from math import gcd
from typing import TypeAlias

from ustory.core.errors import ConfigError

Span: TypeAlias = timedelta | int
"""A stretch of a stream: a duration, or a number of articles."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Slides and panes are counted from here."""

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "min": 60, "s": 1, "w": 604_800}
_FORM = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*(d|h|m|min|s|w)\s*$")


def parse_span(text: str | int | timedelta) -> Span:
    """Read `7d`, `6h`, `15m`, `30s`, `2w` as durations, a bare number as articles.

    >>> parse_span("36h")
    datetime.timedelta(days=1, seconds=43200)
    >>> parse_span("700")
    700
    """
    if isinstance(text, timedelta) or (
        isinstance(text, int) and not isinstance(text, bool)
    ):
        return text
    if isinstance(text, str) and text.isascii() and text.strip().isdigit():
        return int(text)
    match = _FORM.match(text) if isinstance(text, str) else None
    if match is None:
        raise ConfigError(
            f"a window or slide is a duration like 7d, 6h, 15m, 30s, or a number of "
            f"articles like 700; got {text!r}"
        )
    try:
        return timedelta(seconds=float(match[1]) * _UNITS[match[2]])
    except OverflowError as error:
        raise ConfigError(f"a window of {text} is longer than time itself") from error


def format_span(span: Span) -> str:
    """Write a span so that `parse_span` reads it back.

    >>> format_span(timedelta(days=7)), format_span(700)
    ('7d', '700')
    """
    if isinstance(span, int):
        return str(span)
    whole, rest = divmod(microseconds(span), 1_000_000)
    for unit in ("d", "h", "m"):
        if not rest and whole % _UNITS[unit] == 0:
            return f"{whole // _UNITS[unit]}{unit}"
    return f"{whole}.{rest:06d}s" if rest else f"{whole}s"


def microseconds(span: timedelta) -> int:
    """Return the exact length of a duration in microseconds."""
    return span // timedelta(microseconds=1)


def common_pane(window: Span, slide: Span) -> Span:
    """Return the largest pane that tiles both: gcd(W, S) (Sec. 5.4).

    >>> common_pane(timedelta(days=7), timedelta(days=2)).days
    1
    """
    if isinstance(window, int) and isinstance(slide, int):
        return gcd(window, slide)
    if isinstance(window, timedelta) and isinstance(slide, timedelta):
        return timedelta(microseconds=gcd(microseconds(window), microseconds(slide)))
    raise ConfigError(
        "window and slide must both be durations (7d and 1d) or both be numbers of "
        f"articles (700 and 100); got {format_span(window)} and {format_span(slide)}"
    )
