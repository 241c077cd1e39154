"""Withdrawal: articles taken out of every table, down to the bytes of the file."""

from __future__ import annotations

import glob
import logging
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, delete, func, select, text, update

from ustory.store.address import file_of
from ustory.store.articles import searched
from ustory.store.database import Store
from ustory.store.forget import FORGOTTEN
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.mapping import all_pages, chunks, load_all
from ustory.store.meta import get_meta, put_meta
from ustory.store.search_rows import forget_article_facts, unindex_articles
from ustory.store.side import remove_left_sides, sides_beside
from ustory.store.tables import (
    ArticleRow,
    RevisionRow,
    articles,
    decisions,
    deliveries,
    edits,
    events,
    matches,
    meta,
    problems,
    revisions,
    set_aside,
    slides,
)

logger = logging.getLogger(__name__)

SALT = "withdrawn_salt"
"""The key in `meta` of the secret that withdrawn articles are known again by."""

_NAMED: tuple[Column[Any], ...] = (
    revisions.c.article,
    decisions.c.article,
    set_aside.c.article,
    edits.c.target,
    articles.c.id,
)
_MARK = "withdrawn:"
_ID = "id\0"
_ATTEMPTS = 3
_PATIENCE_MS = 1_000
"""How long each attempt to empty the log waits for those who read from it."""
_LONG = 12
"""Characters from which on a text in a sentence is that text, and no chance."""


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


def names_of(
    row: ArticleRow, addresses: Collection[str], contents: Iterable[str]
) -> list[str]:
    """Return what an article is known again by.

    Its id alone says only that it was withdrawn: others may use the same. Where it
    has no address it is known by its id and who brought it.
    """
    own = addresses or [f"{row.origin}\0{row.id}"]
    return [*own, f"{_ID}{row.id}", *contents]


def texts_of(connection: Connection, ids: Collection[str]) -> list[RevisionRow]:
    """Return all texts of some articles, in the order they came in."""
    found: list[RevisionRow] = []
    for some in chunks(ids):
        query = select(revisions).where(revisions.c.article.in_(some))
        found += load_all(connection, query, RevisionRow)
    return sorted(found, key=lambda row: row.seq)


def erase(
    connection: Connection,
    rows: Sequence[ArticleRow],
    at: datetime,
    addresses_of: Callable[[ArticleRow], Collection[str]],
) -> None:
    """Take articles out of all tables but those of stories, and mark them.

    What others' decisions, events, problems and messages say of them goes too.
    `addresses_of` says at which addresses an article would come in again.
    """
    ids = {row.id for row in rows}
    texts = texts_of(connection, ids)
    contents: dict[str, list[str]] = {}
    for each in texts:
        contents.setdefault(each.article, []).append(each.fingerprint)
    names = [
        name
        for row in rows
        for name in names_of(row, addresses_of(row), contents.get(row.id, ()))
    ]
    for mark in sorted(set(marks_of(connection, names, make=True))):
        put_meta(connection, mark, at.isoformat())
    unindex_articles(connection, searched(connection, sorted(ids)))
    forget_article_facts(connection, [row.seq for row in rows])
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
    said = {t.title for t in texts} | {r.url for r in rows if r.url}
    _clear_messages(connection, ids, {each for each in said if each.strip()})


def _count_slides(connection: Connection, numbers: Collection[int]) -> None:
    for number in sorted(numbers):
        there = select(func.count()).where(articles.c.slide == number)
        count = connection.execute(there).scalar_one()
        here = (slides.c.number == number) & (slides.c.status == "done")
        connection.execute(update(slides).where(here).values(articles=count))


def _clear_decisions(connection: Connection, ids: Collection[str], first: int) -> None:
    """Let no decision since a slide name any of the articles."""
    key = (decisions.c.article, decisions.c.slide)
    query = select(decisions).where(decisions.c.slide >= first)
    for row in chain.from_iterable(all_pages(connection, query, key)):
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
    query = select(events).where(events.c.slide >= first)
    for row in chain.from_iterable(all_pages(connection, query, [events.c.id])):
        kept = [name for name in row.articles if name not in ids]
        if len(kept) < len(row.articles):
            here = events.c.id == row.id
            connection.execute(update(events).where(here).values(articles=kept))


def _clear_messages(connection: Connection, ids: set[str], texts: set[str]) -> None:
    """Delete problems and messages to webhooks that name an article or quote it.

    A message names it in a field of its own. A problem is a sentence: short texts
    count where they are quoted, and ids where they are a word.
    """
    sent = connection.execute(select(deliveries.c.id, deliveries.c.body)).all()
    for name, body in sent:
        found = body.get("data", body)  # an event has what was found inside
        if found.get("article") in ids or not texts.isdisjoint(_leaves(body)):
            connection.execute(delete(deliveries).where(deliveries.c.id == name))
    named = [_word(name) for name in sorted(ids)]
    quoted = {part for each in ids | texts for part in _quoted(each)}
    quoted |= {part for each in texts for part in _long(each)}
    told = connection.execute(select(problems.c.id, problems.c.message)).all()
    for number, said in told:
        if any(q in said for q in quoted) or any(word.search(said) for word in named):
            connection.execute(delete(problems).where(problems.c.id == number))


def _leaves(value: Any) -> Iterable[str]:  # noqa: ANN401 - any JSON value
    """Yield all strings of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)


def _word(name: str) -> re.Pattern[str]:
    """Return what finds an id as a word of a sentence.

    One that is a mere number is one only behind "article": sentences count things.
    """
    before = r"\barticle:? " if name.isdecimal() else r"(?<![\w-])"
    return re.compile(rf"{before}{re.escape(name)}(?![\w-])")


def _quoted(words: str) -> set[str]:
    """Return a text in quotation marks, as errors write it."""
    return {repr(words), f'"{words}"'}


def _long(words: str) -> set[str]:
    """Return a text, also as it is inside of quotation marks, if it is long enough."""
    return {words, repr(words)[1:-1]} if len(words) >= _LONG else set()


def scrub(store: Store) -> None:
    """Let the bytes go that deleted rows have left in the files of the database.

    SQLite overwrites them as it deletes; what is left is the write-ahead log.
    PostgreSQL writes the tables anew, for which nobody may read them meanwhile. What
    killed processes have left of stories that were computed again goes, too.
    """
    remove_left_sides(store)
    if store.is_sqlite:
        with store.write() as connection:
            for index in (ARTICLES, STORIES):
                connection.execute(
                    text(
                        f"INSERT INTO {index.table} ({index.table}) VALUES ('optimize')"
                    )
                )
        store.log_held = not _log_emptied(store)
        if store.log_held:
            logger.warning(
                "%s-wal still holds what was withdrawn, because somebody reads the "
                "database; it is emptied when they end and the service is stopped",
                store.url,
            )
        return
    with store.engine.connect() as plain:
        connection = plain.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text("VACUUM FULL"))


def _log_emptied(store: Store) -> bool:
    """Empty the write-ahead log; False where somebody reads from it all the while."""
    with store.engine.connect() as plain:
        run = _driver(plain)
        [(patience,)] = run("PRAGMA busy_timeout")
        run(f"PRAGMA busy_timeout={_PATIENCE_MS}")
        try:
            return any(
                not run("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
                for _ in range(_ATTEMPTS)
            )
        finally:
            run(f"PRAGMA busy_timeout={patience}")


def backups_beside(store: Store) -> list[Path]:
    """Return the files beside a database that are named as a backup of it.

    Those of a database on a server are written into the working folder. The log is
    among them while it could not be emptied after a withdrawal, and so are folders in
    which stories are computed again.
    """
    file = file_of(store.engine.url)
    name = store.engine.url.database or "ustory" if file is None else file.stem
    folder = Path() if file is None else file.absolute().parent
    found = [path for path in folder.glob(f"{glob.escape(name)}*") if path != file]
    held = [file.name + "-wal"] if file is not None and store.log_held else []
    named = [p for p in found if "backup" in p.name or p.name in held]
    return sorted({*named, *sides_beside(store)})


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
    query = select(revisions, articles.c.authors, articles.c.url).join(
        articles, articles.c.id == revisions.c.article
    )
    for row in chain.from_iterable(all_pages(connection, query, [revisions.c.seq])):
        parts = (row.title, row.text or "", *row.authors, row.url or "")
        if any(wanted in _folded(part) for part in parts):
            found.add(row.article)
    chosen: list[ArticleRow] = []
    for some in chunks(sorted(found)):
        chosen += load_all(
            connection, select(articles).where(articles.c.id.in_(some)), ArticleRow
        )
    return sorted(chosen, key=lambda row: row.seq)


def _folded(text_: str) -> str:
    return " ".join(text_.casefold().split())
