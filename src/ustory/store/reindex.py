"""Rebuilding the full-text indexes from the tables."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ustory.store.articles import searched
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.mapping import all_pages
from ustory.store.results import story_document
from ustory.store.tables import articles, stories


def rebuild_search(connection: Connection) -> None:
    """Index every article and every story again."""
    ARTICLES.clear(connection)
    STORIES.clear(connection)
    query = select(articles.c.id, articles.c.seq)
    for page in all_pages(connection, query, [articles.c.seq]):
        ARTICLES.add(connection, searched(connection, [row.id for row in page]))
    rebuild_stories(connection)


def rebuild_stories(connection: Connection) -> None:
    """Index every story."""
    for page in all_pages(connection, select(stories), [stories.c.number]):
        found = [story_document(row.number, row.headline, row.keywords) for row in page]
        STORIES.add(connection, found)
