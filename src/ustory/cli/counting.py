"""Numbers with their nouns."""

from __future__ import annotations


def many(count: int, one: str, more: str) -> str:
    """Return a count and what it counts.

    >>> many(1, "story", "stories"), many(1200, "story", "stories")
    ('1 story', '1,200 stories')
    """
    return f"{count:,} {one if count == 1 else more}"
