"""Feeds of stories as plain values, before they are Atom or JSON Feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit


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


def web_link(url: str | None) -> str | None:
    """Return an address if it is one that a reader may follow, else None.

    >>> web_link("https://a.example/b"), web_link("javascript:alert(1)")
    ('https://a.example/b', None)
    """
    if not url or any(c <= " " for c in url):
        return None
    try:
        parts = urlsplit(url)
        return url if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None
