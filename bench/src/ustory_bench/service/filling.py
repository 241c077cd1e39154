"""Filling a database in bulk, so that it is as a service would have left it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, select, text, update

from ustory.store import Store
from ustory.store.fulltext import ARTICLES, STORIES, Document, TextIndex
from ustory.store.meta import get_meta, put_meta
from ustory.store.reindex import rebuild_facts
from ustory.store.results import story_document
from ustory.store.slides import slide_digest
from ustory.store.tables import slides, stories
from ustory_bench.service.rows import (
    Batch,
    Standing,
    article_batches,
    slide_batch,
    story_batches,
)
from ustory_bench.service.synthetic import Synthetic

_SIZE = "benchmark_articles"
Say = Callable[[str], object]


def fill(store: Store, made: Synthetic, say: Say) -> None:
    """Fill an empty database; one that is full is left as it is."""
    with store.read() as connection:
        if get_meta(connection, _SIZE) == made.articles:
            return
    say(f"{made.articles:,} articles into {store.engine.dialect.name}")
    with store.write() as connection, _without_indexes(connection):
        if store.is_sqlite:
            connection.exec_driver_sql("PRAGMA cache_size = -4000000")
        _put(connection, slide_batch(made))
        for batch in article_batches(made):
            _put(connection, batch)
            if batch.table == "revisions":
                _index(connection, ARTICLES, _documents(batch))
        say("stories")
        for batch in story_batches(Standing(made)):
            _put(connection, batch)
        _index(connection, STORIES, _stories(connection))
        say("facts")
        say("indexes")
    store.engine.dispose()  # nobody else has such a cache
    say("digests")
    with store.write() as connection:
        _finish(connection)
        rebuild_facts(connection)
        put_meta(connection, _SIZE, made.articles)
    if not store.is_sqlite:  # it would do so by itself in a while; SQLite never does
        with store.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text("VACUUM ANALYZE"))


def _put(connection: Connection, batch: Batch) -> None:
    cursor: Any = connection.connection.cursor()
    columns = ", ".join(f'"{name}"' for name in batch.columns)
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(batch.columns))
        statement = f"INSERT INTO {batch.table} ({columns}) VALUES ({places})"
        cursor.executemany(statement, batch.rows)
    else:
        statement = f"COPY {batch.table} ({columns}) FROM STDIN"
        with cursor.copy(statement) as copy:
            for row in batch.rows:
                copy.write_row(row)
    cursor.close()


def _documents(batch: Batch) -> list[Document]:
    return [Document(row[0], row[4], row[5]) for row in batch.rows]


def _stories(connection: Connection) -> list[Document]:
    query = select(stories.c.number, stories.c.headline, stories.c.keywords)
    return [story_document(*row) for row in connection.execute(query)]


def _index(connection: Connection, index: TextIndex, found: list[Document]) -> None:
    rows = index.rows(connection, found)
    if connection.dialect.name == "sqlite":
        _put(connection, Batch(index.table, ("rowid", "title", "text"), rows))
    else:
        _put(connection, Batch(index.table, ("number", "titles", "words"), rows))


def _indexes(connection: Connection) -> dict[str, str]:
    """Return how each index is made that is not part of its table."""
    if connection.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql > ''"
    else:
        query = (
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
            "AND right(indexname, 4) NOT IN ('pkey', '_pkc')"
        )
    return {row[0]: row[1] for row in connection.exec_driver_sql(query)}


@contextmanager
def _without_indexes(connection: Connection) -> Iterator[None]:
    """Take the indexes away meanwhile: made afterwards they take a tenth as long."""
    found = _indexes(connection)
    for name in found:
        connection.exec_driver_sql(f"DROP INDEX {name}")
    yield
    for statement in found.values():
        connection.exec_driver_sql(statement)


def _finish(connection: Connection) -> None:
    """Say of every slide that it is done, with the digest it has."""
    done = datetime(2025, 1, 1, tzinfo=UTC)
    last = connection.execute(select(func.max(slides.c.number))).scalar_one()
    for number in range(1, last + 1):
        digest = slide_digest(connection, number)
        connection.execute(
            update(slides)
            .where(slides.c.number == number)
            .values(status="done", done_at=done, digest=digest)
        )
