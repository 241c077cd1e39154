"""What fetching gives: an article, and what its publisher says about its date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ustory.core.article import Article


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An article as it came in; whoever takes it in judges its date."""

    article: Article
    """`published_at` is the publisher's claim, the time of fetching without one."""
    claimed_at: datetime | None
    """The claim as it stands, None where there is none that can be read."""
    summary_only: bool = False
    """Whether the text is only a summary of what stands at the article's address."""
