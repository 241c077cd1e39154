"""Rebuilding what a search needs from the tables."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ustory.store.articles import searched
from ustory.store.facts import clear_facts
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.mapping import all_pages, load
from ustory.store.results import story_document
from ustory.store.search_rows import note_articles, note_sources, note_stories
from ustory.store.tables import StoryRow, articles, stories
from ustory.store.vocabulary import add_words, clear_words


def clear_search(connection: Connection) -> None:
    """Forget everything that a search needs."""
    for index in (ARTICLES, STORIES):
        index.clear(connection)
    clear_words(connection)
    clear_facts(connection)


def rebuild_search(connection: Connection) -> None:
    """Index every article and every story again."""
    clear_search(connection)
    query = select(articles.c.id, articles.c.seq)
    with ARTICLES.filling(connection):
        for page in all_pages(connection, query, [articles.c.seq]):
            ARTICLES.add(connection, searched(connection, [row.id for row in page]))
    rebuild_stories(connection)
    rebuild_facts(connection)


def rebuild_stories(connection: Connection) -> None:
    """Index every story."""
    for page in all_pages(connection, select(stories), [stories.c.number]):
        found = [story_document(row.number, row) for row in page]
        STORIES.add(connection, found)


def rebuild_facts(connection: Connection) -> None:
    """Collect the words of titles, names and facts again; the indexes stay."""
    clear_words(connection)
    clear_facts(connection)
    for page in all_pages(connection, select(stories), [stories.c.number]):
        rows = [load(StoryRow, row._mapping) for row in page]
        note_stories(connection, rows, {row.id: row.number for row in page})
        note_sources(connection, [row.id for row in page])
    query = select(articles.c.id, articles.c.seq)
    for page in all_pages(connection, query, [articles.c.seq]):
        ids = [row.id for row in page]
        add_words(connection, searched(connection, ids))
        note_articles(connection, ids)
