"""Retention: letting go of old texts, and of old articles altogether."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Exists, Select, delete, select, true, update

from ustory.store.articles import searched
from ustory.store.fulltext import Document
from ustory.store.mapping import chunks
from ustory.store.meta import get_meta, put_meta
from ustory.store.search_rows import (
    forget_article_facts,
    forget_unused_sources,
    index_articles,
    unindex_articles,
)
from ustory.store.snapshots import latest
from ustory.store.tables import articles, decisions, revisions, set_aside

FORGOTTEN = "forgotten_revisions"
"""The key in `meta` that counts the revisions that were let go of."""


def forget_texts(connection: Connection, before: datetime, limit: int = 1000) -> int:
    """Let go of the texts of articles published before; return how many.

    At most `limit` at once, so that writers are not kept waiting: call it until it
    returns 0. Titles stay and can still be found. What a replay from the oldest
    snapshot would need is never forgotten.
    """
    query = _old(connection, before, limit).where(articles.c.text_kept == true())
    ids = list(connection.execute(query).scalars())
    whole = searched(connection, ids)
    unindex_articles(connection, whole)
    index_articles(connection, [Document(one.number, one.title) for one in whole])
    for some in chunks(ids):
        here = revisions.c.article.in_(some)
        connection.execute(update(revisions).where(here).values(text=None))
        gone = articles.c.id.in_(some)
        connection.execute(update(articles).where(gone).values(text_kept=False))
    return len(ids)


def forget_articles(connection: Connection, before: datetime, limit: int = 1000) -> int:
    """Let go of articles published before, with all that was decided about them.

    Returns how many; call it until it returns 0. Their stories stay.
    """
    query = _old(connection, before, limit).where(~_decided_later(connection))
    ids = list(connection.execute(query).scalars())
    documents = searched(connection, ids)
    unindex_articles(connection, documents)
    forget_article_facts(connection, [one.number for one in documents])
    sources: set[str] = set()
    gone = 0
    for some in chunks(ids):
        named = select(articles.c.source).where(articles.c.id.in_(some)).distinct()
        sources |= {each for each in connection.execute(named).scalars() if each}
        here = revisions.c.article.in_(some)
        gone += connection.execute(delete(revisions).where(here)).rowcount
        connection.execute(delete(decisions).where(decisions.c.article.in_(some)))
        connection.execute(delete(set_aside).where(set_aside.c.article.in_(some)))
        connection.execute(delete(articles).where(articles.c.id.in_(some)))
    forget_unused_sources(connection, sources)
    if gone:
        put_meta(connection, FORGOTTEN, get_meta(connection, FORGOTTEN, 0) + gone)
    return len(ids)


def _oldest(connection: Connection) -> int:
    """Return the slide from which a replay may begin, 0 where there is none."""
    return min(latest(connection), default=0)


def _decided_later(connection: Connection) -> Exists:
    later = select(decisions.c.slide).where(
        decisions.c.article == articles.c.id, decisions.c.slide > _oldest(connection)
    )
    return later.exists()


def _old(connection: Connection, before: datetime, limit: int) -> Select[str]:
    oldest = _oldest(connection)
    later = select(revisions.c.seq).where(
        revisions.c.article == articles.c.id, revisions.c.slide > oldest
    )
    return (
        select(articles.c.id)
        .where(articles.c.published_at < before)
        .where(articles.c.slide <= oldest, ~later.exists())
        .order_by(articles.c.published_at)
        .limit(limit)
    )
