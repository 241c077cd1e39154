"""Making the full-text indexes anew from the tables."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ustory.store.articles import searched
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.results import story_document
from ustory.store.schema import articles, stories

_STEP = 1000


def rebuild_search(connection: Connection) -> None:
    """Index every article and every story again."""
    ARTICLES.clear(connection)
    STORIES.clear(connection)
    last = 0
    while True:
        query = select(articles.c.id, articles.c.seq).where(articles.c.seq > last)
        some = connection.execute(query.order_by(articles.c.seq).limit(_STEP)).all()
        if not some:
            break
        ARTICLES.add(connection, searched(connection, [row.id for row in some]))
        last = some[-1].seq
    rebuild_stories(connection)


def rebuild_stories(connection: Connection) -> None:
    """Index every story."""
    last = 0
    while True:
        query = select(stories).where(stories.c.number > last)
        some = connection.execute(query.order_by(stories.c.number).limit(_STEP)).all()
        if not some:
            return
        STORIES.add(
            connection,
            [story_document(row.number, row.headline, row.keywords) for row in some],
        )
        last = some[-1].number
