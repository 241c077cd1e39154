"""Filling a database in bulk, so that it is as a service would have left it.

Everything that is written past the functions of the store is in this file. The search
is not: `rebuild_search` makes it from the tables, whatever it consists of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, text, update

from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.core.protocols import Encoder
from ustory.encode import load_encoder
from ustory.service.clock import StreamClock
from ustory.service.loop import Loop
from ustory.service.recovery import FORMAT
from ustory.service.settings import live_settings
from ustory.service.slide_runner import Task
from ustory.store import Store, snapshots
from ustory.store.articles import newest_publication
from ustory.store.epochs import BEGIN, begin_epoch
from ustory.store.feeds import put_feeds
from ustory.store.listing import all_live
from ustory.store.meta import get_meta, put_meta
from ustory.store.reindex import rebuild_search
from ustory.store.results import write_stories
from ustory.store.slides import slide_digest
from ustory.store.tables import slides, tables
from ustory_bench.service.following import feed_rows, follow_stories
from ustory_bench.service.rows import (
    CHUNK,
    Batch,
    article_batches,
    moment,
    slide_batch,
    story_id,
)
from ustory_bench.service.story_rows import Standing, story_batches
from ustory_bench.service.synthetic import HOUR, START, Synthetic

_SIZE = "benchmark_articles"
_MADE_BY = 2
"""The version of what is made: an archive of an older one is not taken for it."""
_CACHE = "PRAGMA cache_size = -1000000"
Say = Callable[[str], object]
Step = Callable[[int, int], object]
"""Called with how many articles are written, and how many there will be."""


def fill(
    store: Store,
    made: Synthetic,
    say: Say,
    step: Step = lambda done, whole: None,
    encoder: Encoder | None = None,
) -> None:
    """Fill an empty database; one that is full is left as it is."""
    mark = [_MADE_BY, *astuple(made)]
    with store.read() as connection:
        if get_meta(connection, _SIZE) == mark:
            return
        refuse_full(connection, store.url)
    say(f"{made.articles:,} articles into {store.engine.dialect.name}")
    dropped = _drop_indexes(store)
    _write_articles(store, made, step)
    say("stories")
    with _bulk(store) as connection:
        at = Standing(made)
        for batch in story_batches(at):
            _put(connection, batch)
        put_feeds(connection, feed_rows(made))
        follow_stories(connection, at)
    say("indexes")
    _make_indexes(store, dropped)
    say("search")
    with _bulk(store) as connection:
        rebuild_search(connection)
    say("digests")
    with _bulk(store) as connection:
        _finish(connection, made)
    say("the engine's own slides")
    _compute(store, made, encoder)
    with store.write() as connection:
        put_meta(connection, _SIZE, mark)
    store.engine.dispose()  # nobody else has such a cache
    _analyse(store)


def fill_at(url: str, made: Synthetic, say: Say) -> None:
    """Fill the database at an address, where it is not full yet."""
    store = Store.open(url)
    fill(store, made, say)
    store.close()


def refuse_full(connection: Connection, url: str) -> None:
    """Refuse a database that has articles: those of an archive are all made at once."""
    if newest_publication(connection) is not None:
        raise StateError(
            f"{url} has articles, and they are not this archive; give a new database"
        )


def _write_articles(store: Store, made: Synthetic, step: Step) -> None:
    with _bulk(store) as connection:
        _put(connection, slide_batch(made))
        for first in range(0, made.articles, CHUNK):
            for batch in article_batches(made, first):
                _put(connection, batch)
            step(min(first + CHUNK, made.articles), made.articles)


@contextmanager
def _bulk(store: Store) -> Iterator[Connection]:
    with store.write() as connection:
        if store.is_sqlite:
            connection.exec_driver_sql(_CACHE)
        yield connection


def _put(connection: Connection, batch: Batch) -> None:
    """Write rows past the store's own functions, as fast as the database can."""
    table = tables.tables[batch.table]
    left = [c.name for c in table.c if c.name not in batch.columns and not c.nullable]
    assert not left, f"{batch.table} needs {left}"
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


def _drop_indexes(store: Store) -> list[str]:
    """Take the indexes away; return how each is made again.

    Made afterwards they take a tenth as long. Those of primary keys stay.
    """
    if store.is_sqlite:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql > ''"
    else:
        query = (
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
            "AND right(indexname, 4) NOT IN ('pkey', '_pkc')"
        )
    with store.write() as connection:
        rows = connection.exec_driver_sql(query)
        found = [(str(row[0]), str(row[1])) for row in rows]
        # those of the search are made anew with it
        found = [each for each in found if not each[0].startswith("search_")]
        for name, _ in found:
            connection.exec_driver_sql(f"DROP INDEX {name}")
    return [statement for _, statement in found]


def _make_indexes(store: Store, statements: list[str]) -> None:
    with _bulk(store) as connection:
        if not store.is_sqlite:
            connection.exec_driver_sql("SET LOCAL maintenance_work_mem = '512MB'")
        for statement in statements:
            connection.exec_driver_sql(statement)


def _finish(connection: Connection, made: Synthetic) -> None:
    """Say of every slide that is made up that it is done, with the digest it has."""
    for number in range(1, _last_told(made) + 1):
        digest = slide_digest(connection, number)
        connection.execute(
            update(slides)
            .where(slides.c.number == number)
            .values(status="done", done_at=slides.c.end, digest=digest)
        )


def _last_told(made: Synthetic) -> int:
    return int(made.slide[made.told - 1])


def _compute(store: Store, made: Synthetic, encoder: Encoder | None) -> None:
    """Let the engine compute the last slides, from a window that is empty.

    What it knows of articles is not made up. A service that opens the archive has the
    state after them, and computes nothing again.
    """
    settings = live_settings(slide=timedelta(microseconds=HOUR))
    loop = Loop(
        store, settings, encoder or load_encoder(settings.encoder), StreamClock()
    )
    last, begin = _last_told(made), loop.runner.engine.begin()
    end = moment(START + last * HOUR)
    empty = loop.runner.run(begin, Task(number=last, end=end)).after
    state = replace(empty, arrivals=made.told, next_story=made.stories + 1)
    with store.write() as connection:
        begin_epoch(connection, slide=last, at=end, reason=BEGIN, method=METHOD)
        frozen = loop.runner.engine.freeze(state)
        snapshots.put(connection, last, FORMAT, frozen, end)
    loop.start()
    loop.catch_up()
    loop.keep_state()
    _end_oldest(store, made)


def _end_oldest(store: Store, made: Synthetic) -> None:
    """End the oldest live stories, so that as many are live as were asked for."""
    with store.write() as connection:
        live = sorted(all_live(connection), key=lambda row: (row.last_seen, row.id))
        made_up = [row for row in live if row.id <= story_id(made.stories - 1)]
        ended = made_up[: max(len(live) - made.live, 0)]
        write_stories(
            connection, [replace(row, status="expired", inside=0) for row in ended]
        )


def _analyse(store: Store) -> None:
    """Let PostgreSQL count; it would do so by itself in a while, SQLite never does."""
    if store.is_sqlite:
        with store.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    with store.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text("VACUUM ANALYZE"))
