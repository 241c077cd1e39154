"""Where articles are and when they appeared, without all else that rows hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from ustory.store.mapping import chunks, load_all
from ustory.store.tables import articles


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryArticle:
    """An article of a story, as far as counting needs it."""

    id: str
    published_at: datetime
    source: str | None
    origin: str
    copy_of: str | None
    confidence: float


def newest_of_story(
    connection: Connection, story: str, limit: int
) -> list[StoryArticle]:
    """Return the articles of a story, the newest first, at most `limit`."""
    a = articles.c
    columns = (a.id, a.published_at, a.source, a.origin, a.copy_of, a.confidence)
    query = select(*columns).where(a.story == story)
    ordered = query.order_by(a.published_at.desc(), a.id.desc()).limit(limit)
    return load_all(connection, ordered, StoryArticle)


def stories_of_articles(
    connection: Connection, ids: Collection[str]
) -> dict[str, str | None]:
    """Return the story in which each of some articles is now, if in any."""
    found: dict[str, str | None] = {}
    for some in chunks(ids):
        query = select(articles.c.id, articles.c.story).where(articles.c.id.in_(some))
        found |= {row.id: row.story for row in connection.execute(query)}
    return found
