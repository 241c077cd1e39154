"""Feeds of stories as plain values, before they are Atom or JSON Feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a feed: a story, or an article of one."""

    id: str
    """An address or a URN that never changes."""
    title: str
    link: str | None
    updated: datetime
    published: datetime
    summary: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A feed and its entries, the newest first."""

    id: str
    title: str
    itself: str
    """The address of this feed."""
    home: str
    """The address of what it is a feed of."""
    updated: datetime
    entries: Sequence[Entry]
