"""A sentence that may name a story, so that a page can link it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """Words, the story that they lead to, and the words behind it."""

    words: str
    story: str | None = None
    headline: str = ""
    after: str = ""
