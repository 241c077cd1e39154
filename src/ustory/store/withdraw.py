"""Withdrawal: articles taken out of every table, down to the bytes of the file."""

from __future__ import annotations

import glob
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Table, delete, func, select, text, update

from ustory.store.address import file_of
from ustory.store.articles import searched
from ustory.store.columns import canonical
from ustory.store.database import Store
from ustory.store.forget import FORGOTTEN
from ustory.store.mapping import chunks, load_all
from ustory.store.meta import get_meta, put_meta
from ustory.store.rows import ArticleRow, DecisionRow, EventRow, RevisionRow
from ustory.store.schema import (
    articles,
    decisions,
    deliveries,
    events,
    matches,
    meta,
    problems,
    revisions,
    set_aside,
    slides,
)
from ustory.store.words import ARTICLES, STORIES

SALT = "withdrawn_salt"
"""The key in `meta` of the secret that withdrawn articles are known again by."""

_NAMED: tuple[Column[Any], ...] = (
    revisions.c.article,
    decisions.c.article,
    set_aside.c.article,
    articles.c.id,
)
_MARK = "withdrawn:"
_ID = "id\0"
_STEP = 500


def marks_of(
    connection: Connection, names: Iterable[str], *, make: bool = False
) -> list[str]:
    """Return what is kept of addresses, contents and ids: keyed hashes, no text.

    There are none before anything was withdrawn, unless they are to be made.
    """
    salt = get_meta(connection, SALT)
    if salt is None:
        if not make:
            return []
        salt = secrets.token_hex(32)
        put_meta(connection, SALT, salt)
    key = bytes.fromhex(salt)
    return [
        _MARK + blake2b(name.encode(), key=key, digest_size=16).hexdigest()
        for name in names
    ]


def withdrawn(connection: Connection, names: Sequence[str]) -> set[str]:
    """Return which of these addresses, contents and ids were withdrawn."""
    marks = dict(zip(marks_of(connection, names), names, strict=False))
    found: set[str] = set()
    for some in chunks(marks):
        query = select(meta.c.key).where(meta.c.key.in_(some))
        found |= {marks[key] for key in connection.execute(query).scalars()}
    return found


def withdrawn_ids(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Return which of these ids articles had that were withdrawn."""
    found = withdrawn(connection, [f"{_ID}{name}" for name in ids])
    return {name.removeprefix(_ID) for name in found}


def names_of(row: ArticleRow, contents: Iterable[str]) -> list[str]:
    """Return what an article is known again by.

    Its id alone says only that it was withdrawn: others may use the same. Where it
    has no address it is known by its id and who brought it.
    """
    own = row.address or f"{row.origin}\0{row.id}"
    return [own, f"{_ID}{row.id}", *contents]


def texts_of(connection: Connection, ids: Collection[str]) -> list[RevisionRow]:
    """Return all texts of some articles, in the order they came in."""
    found: list[RevisionRow] = []
    for some in chunks(ids):
        query = select(revisions).where(revisions.c.article.in_(some))
        found += load_all(connection, query, RevisionRow)
    return sorted(found, key=lambda row: row.seq)


def erase(connection: Connection, rows: Sequence[ArticleRow], at: datetime) -> None:
    """Take articles out of all tables but those of stories, and mark them.

    What others' decisions, events, problems and messages say of them goes too.
    """
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete = ON"))
    ids = {row.id for row in rows}
    texts = texts_of(connection, ids)
    _mark(connection, rows, texts, at)
    ARTICLES.remove(connection, searched(connection, sorted(ids)))
    for some in chunks(sorted(ids)):
        for column in _NAMED:
            connection.execute(delete(column.table).where(column.in_(some)))
        copied = articles.c.copy_of.in_(some)
        connection.execute(update(articles).where(copied).values(copy_of=None))
        named = matches.c.article.in_(some)
        connection.execute(update(matches).where(named).values(article=None))
    gone = get_meta(connection, FORGOTTEN, 0) + len(texts)
    put_meta(connection, FORGOTTEN, gone)
    _count_slides(connection, {row.slide for row in rows})
    first = min(row.slide for row in rows)
    _clear_decisions(connection, ids, first)
    _clear_events(connection, ids, first)
    said = ids | {t.title for t in texts} | {r.url for r in rows if r.url}
    _clear_messages(connection, {each for each in said if each.strip()})


def _mark(
    connection: Connection,
    rows: Sequence[ArticleRow],
    texts: Sequence[RevisionRow],
    at: datetime,
) -> None:
    contents: dict[str, list[str]] = {}
    for each in texts:
        contents.setdefault(each.article, []).append(each.fingerprint)
    names = [n for row in rows for n in names_of(row, contents.get(row.id, ()))]
    for mark in sorted(set(marks_of(connection, names, make=True))):
        put_meta(connection, mark, at.isoformat())


def _count_slides(connection: Connection, numbers: Collection[int]) -> None:
    for number in sorted(numbers):
        there = select(func.count()).where(articles.c.slide == number)
        count = connection.execute(there).scalar_one()
        here = (slides.c.number == number) & (slides.c.status == "done")
        connection.execute(update(slides).where(here).values(articles=count))


def _clear_decisions(connection: Connection, ids: Collection[str], first: int) -> None:
    """Let no decision since a slide name any of the articles."""
    key = (decisions.c.article, decisions.c.slide)
    for row in _walk(connection, decisions, key, first, DecisionRow):
        links = row.record.get("links") or {}
        copied = row.record.get("copy_of") in ids
        if not copied and not any(name in ids for name in links):
            continue
        record: dict[str, Any] = dict(row.record)
        record["links"] = {k: v for k, v in links.items() if k not in ids}
        if copied:
            record["copy_of"] = None
        here = (decisions.c.article == row.article) & (decisions.c.slide == row.slide)
        connection.execute(update(decisions).where(here).values(record=record))


def _clear_events(connection: Connection, ids: Collection[str], first: int) -> None:
    """Let no event since a slide name any of the articles."""
    for row in _walk(connection, events, (events.c.id,), first, EventRow):
        kept = [name for name in row.articles if name not in ids]
        if len(kept) < len(row.articles):
            here = events.c.id == row.id
            connection.execute(update(events).where(here).values(articles=kept))


def _walk(
    connection: Connection, table: Table, key: Sequence[Any], first: int, kind: type
) -> Iterable[Any]:
    """Yield rows since a slide, some at a time, in an order that lasts."""
    offset = 0
    query = select(table).where(table.c.slide >= first).order_by(*key)
    while True:
        rows: list[Any] = load_all(connection, query.limit(_STEP).offset(offset), kind)
        yield from rows
        if len(rows) < _STEP:
            return
        offset += _STEP


def _clear_messages(connection: Connection, said: Collection[str]) -> None:
    """Delete problems and messages to webhooks that say any of the words."""
    for table, column in (
        (problems, problems.c.message),
        (deliveries, deliveries.c.body),
    ):
        rows = connection.execute(select(table.c.id, column)).all()
        for row in rows:
            whole = row[1] if isinstance(row[1], str) else _flat(row[1])
            if any(words in whole for words in said):
                connection.execute(delete(table).where(table.c.id == row[0]))


def _flat(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return all words of a JSON value, as they were written."""
    if isinstance(value, Mapping):
        return "\n".join(_flat(each) for each in value.values())
    if isinstance(value, list | tuple):
        return "\n".join(map(_flat, value))
    return value if isinstance(value, str) else canonical(value)


def scrub(store: Store) -> None:
    """Let the bytes go that deleted rows have left in the files of the database.

    SQLite overwrites them as it deletes; what is left is the write-ahead log.
    PostgreSQL writes the tables anew, for which nobody may read them meanwhile.
    """
    if store.is_sqlite:
        with store.write() as connection:
            for index in (ARTICLES, STORIES):
                connection.execute(
                    text(
                        f"INSERT INTO {index.table} ({index.table}) VALUES ('optimize')"
                    )
                )
        with store.engine.connect() as plain:
            _driver(plain)("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    with store.engine.connect() as plain:
        connection = plain.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text("VACUUM FULL"))


def backups_beside(store: Store) -> list[Path]:
    """Return the files beside a database that are named as a backup of it.

    Those of a database on a server are written into the working folder.
    """
    file = file_of(store.engine.url)
    name = store.engine.url.database or "ustory" if file is None else file.stem
    folder = Path() if file is None else file.absolute().parent
    found = [path for path in folder.glob(f"{glob.escape(name)}*") if path != file]
    return sorted(path for path in found if "backup" in path.name)


def _driver(connection: Connection) -> Callable[[str], Any]:
    """Return what runs a statement outside of any transaction of ours."""
    raw = connection.connection.driver_connection
    assert raw is not None
    return lambda statement: raw.execute(statement).fetchall()


def named_by(
    connection: Connection, field: str, value: str, shown: Callable[[str], str]
) -> list[ArticleRow]:
    """Return the articles of a rule: `article`, `source`, `origin` or `text`."""
    if field == "text":
        return _saying(connection, value)
    column = {"article": articles.c.id, "source": articles.c.source}.get(field)
    if column is not None:
        query = select(articles).where(column == value)
    else:
        every = connection.execute(select(articles.c.origin).distinct()).scalars()
        same = [each for each in every if value in (each, shown(each))]
        query = select(articles).where(articles.c.origin.in_(same))
    return load_all(connection, query.order_by(articles.c.seq), ArticleRow)


def _saying(connection: Connection, words: str) -> list[ArticleRow]:
    """Return the articles that have some words in any title, text, author or address.

    Neither case nor the spaces between words make a difference.
    """
    wanted = _folded(words)
    found: set[str] = set()
    last = 0
    while True:
        query = (
            select(revisions, articles.c.authors, articles.c.url)
            .join(articles, articles.c.id == revisions.c.article)
            .where(revisions.c.seq > last)
            .order_by(revisions.c.seq)
            .limit(_STEP)
        )
        rows = connection.execute(query).all()
        for row in rows:
            parts = (row.title, row.text or "", *row.authors, row.url or "")
            if any(wanted in _folded(part) for part in parts):
                found.add(row.article)
        if len(rows) < _STEP:
            break
        last = rows[-1].seq
    chosen: list[ArticleRow] = []
    for some in chunks(sorted(found)):
        chosen += load_all(
            connection, select(articles).where(articles.c.id.in_(some)), ArticleRow
        )
    return sorted(chosen, key=lambda row: row.seq)


def _folded(text_: str) -> str:
    return " ".join(text_.casefold().split())
