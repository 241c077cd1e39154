"""Looking after a database: check it, back it up, put a backup in its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Select, func, or_, select, text

from ustory.core.errors import StateError
from ustory.store.articles import next_seq
from ustory.store.backup import new_file, read_archive, write_archive, write_backup
from ustory.store.check_facts import wrong_facts
from ustory.store.database import Store
from ustory.store.epochs import all_epochs
from ustory.store.errors import in_words
from ustory.store.forget import FORGOTTEN
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.meta import get_meta
from ustory.store.migrate import migrate
from ustory.store.slides import slide_digest
from ustory.store.snapshots import damaged, slides_kept
from ustory.store.tables import (
    articles,
    decisions,
    deliveries,
    events,
    matches,
    revisions,
    set_aside,
    slides,
    stories,
    story_days,
    story_keywords,
    story_sources,
    watchlists,
)
from ustory.store.tags import STANDING, TAGS

_MAX_NAMED = 5
"""How many of the slides with one fault are named."""

_REFERENCES: tuple[tuple[Column[object], Column[object]], ...] = (
    (revisions.c.article, articles.c.id),
    (articles.c.id, revisions.c.article),
    (articles.c.slide, slides.c.number),
    (articles.c.story, stories.c.id),
    (decisions.c.article, articles.c.id),
    (set_aside.c.article, articles.c.id),
    (decisions.c.story, stories.c.id),
    (events.c.story, stories.c.id),
    (stories.c.merged_into, stories.c.id),
    (story_days.c.story, stories.c.id),
    (story_keywords.c.story, stories.c.id),
    (story_sources.c.story, stories.c.id),
    (matches.c.watchlist, watchlists.c.id),
    (deliveries.c.watchlist, watchlists.c.id),
)


def check(store: Store) -> list[str]:
    """Return everything that is wrong with a database, in words; [] is good news."""
    found: list[str] = []
    if store.is_sqlite:
        with store.read() as connection:
            said = connection.execute(text("PRAGMA integrity_check(20)")).scalars()
            found += [f"the file is damaged: {line}" for line in said if line != "ok"]
    with store.read() as connection:
        for part in _PARTS:
            found += part(connection)
    return found


def _references(connection: Connection) -> Iterator[str]:
    for column, target in _REFERENCES:
        other = target.table.alias()
        there = select(other.c[target.name]).where(other.c[target.name] == column)
        lost = select(column).where(column.is_not(None), ~there.exists())
        if column is events.c.story:
            lost = lost.where(column != "")  # an event of the whole archive
        count = _count(connection, lost)
        if count:
            first = connection.execute(lost.order_by(column).limit(1)).scalar_one()
            yield (f"{count} rows: {column} is not in {target} (the first: {first!r})")


def _slides(connection: Connection) -> Iterator[str]:
    """Slides follow one another, and every revision is in the slide it names."""
    number, following = 0, 1
    forgotten = get_meta(connection, FORGOTTEN, 0)
    wrong = []
    for row in connection.execute(select(slides).order_by(slides.c.number)).all():
        number += 1
        if row.number != number or row.first_seq != following:
            yield (
                f"slide {row.number} begins with {row.first_seq}; slide {number} was "
                f"to begin with {following}"
            )
            number = row.number
        following = (row.last_seq or row.first_seq - 1) + 1
        if row.status == "done" and not forgotten:
            wrong += (
                [] if slide_digest(connection, row.number) == row.digest else [number]
            )
    if wrong:
        named = ", ".join(map(str, wrong[:_MAX_NAMED]))
        yield f"{len(wrong)} slides decided other than their digests say: {named}"
    for table in (revisions, articles):
        outside = select(table.c.seq).join(slides, slides.c.number == table.c.slide)
        beyond = or_(table.c.seq < slides.c.first_seq, table.c.seq > slides.c.last_seq)
        count = _count(connection, outside.where(beyond))
        if count:
            yield f"{count} rows of {table} are not in the range of their slide"


def _numbers(connection: Connection) -> Iterator[str]:
    """No intake number, and no event, was lost or given twice."""
    there = _count(connection, select(revisions.c.seq))
    forgotten = get_meta(connection, FORGOTTEN, 0)
    given = next_seq(connection) - 1
    if there + forgotten != given:
        yield (
            f"{given} texts were taken in, {there} are there and {forgotten} were "
            "forgotten: some are lost"
        )
    highest = connection.execute(select(func.max(events.c.id))).scalar_one() or 0
    counted = _count(connection, select(events.c.id))
    if counted != highest:
        yield f"the newest event is number {highest}, but there are {counted}"


def _placements(connection: Connection) -> Iterator[str]:
    other = decisions.alias()
    newest = select(func.max(other.c.slide)).where(other.c.article == articles.c.id)
    elsewhere = (
        select(articles.c.id)
        .join(decisions, decisions.c.article == articles.c.id)
        .where(decisions.c.slide == newest.correlate(articles).scalar_subquery())
        .where(articles.c.story.is_distinct_from(decisions.c.story))
    )
    count = _count(connection, elsewhere)
    if count:
        yield f"{count} articles are not where their newest decision puts them"
    done = select(slides.c.number).where(slides.c.status == "done")
    late = select(articles.c.id).where(articles.c.waiting, articles.c.slide.in_(done))
    if _count(connection, late):
        yield f"{_count(connection, late)} articles wait, though their slide is done"


def _tags(connection: Connection) -> Iterator[str]:
    """Every word says of its story what lists are sorted by."""
    for table in TAGS:
        unlike = [table.c[name] != stories.c[name] for name in STANDING]
        query = select(table.c.story).join(stories, stories.c.id == table.c.story)
        count = _count(connection, query.where(or_(*unlike)))
        if count:
            yield f"{count} rows of {table} do not say how their stories stand"
    warm = select(stories.c.id).where(stories.c.status != "live", stories.c.heat != 0)
    if _count(connection, warm):
        yield f"{_count(connection, warm)} stories have heat, and are not live"


def _snapshots(connection: Connection) -> Iterator[str]:
    for slide in damaged(connection):
        yield f"the snapshot of slide {slide} is damaged: its checksum is wrong"
    done = select(func.max(slides.c.number)).where(slides.c.status == "done")
    last = connection.execute(done).scalar_one()
    kept = slides_kept(connection)
    if kept and kept[0] > (last or 0):
        yield f"there is a snapshot of slide {kept[0]}, the last done is {last or 0}"


def _epochs(connection: Connection) -> Iterator[str]:
    """Epochs are numbered one by one, and each begins where slides are done."""
    done = select(func.max(slides.c.number)).where(slides.c.status == "done")
    last = connection.execute(done).scalar_one() or 0
    found = all_epochs(connection)
    if [each.number for each in found] != list(range(1, len(found) + 1)):
        yield f"{len(found)} epochs are not numbered from 1 to {len(found)}"
    if any(each.slide > last for each in found):
        yield f"an epoch begins after slide {last}, which is the last that is done"
    if any(one.slide > two.slide for one, two in pairwise(found)):
        yield "an epoch begins at a slide before that of an earlier one"


def _search(connection: Connection) -> Iterator[str]:
    for index, table in ((ARTICLES, articles), (STORIES, stories)):
        there = _count(connection, select(*table.primary_key))
        found = index.count(connection)
        if there != found:
            yield f"the search holds {found} of {there} {table}"
    yield from wrong_facts(connection)


def _count(connection: Connection, query: Select[Any]) -> int:
    counted = select(func.count()).select_from(query.subquery())
    return int(connection.execute(counted).scalar_one())


_PARTS = (
    _references,
    _slides,
    _numbers,
    _placements,
    _tags,
    _snapshots,
    _epochs,
    _search,
)


_SQLITE_MAGIC = b"SQLite format 3\0"


def backup(store: Store, path: Path | str) -> None:
    """Write a copy of the database into a new file, while it is used.

    A SQLite database becomes a SQLite file, PostgreSQL a portable archive; `restore`
    reads both.
    """
    write_backup(store.engine, Path(path))


def archive(store: Store, path: Path | str) -> None:
    """Write the portable archive of the database into a new file."""
    with new_file(Path(path)) as part, store.read() as connection:
        write_archive(connection, part)


def restore(path: Path | str, store: Store) -> None:
    """Put a backup or an archive in the place of all that is in the database.

    Nothing changes where the backup is damaged, and nothing may serve it meanwhile.
    """
    path = Path(path)
    if not path.is_file():
        raise StateError(f"there is no backup {path}; give a file that is there")
    with path.open("rb") as file:
        sqlite_file = file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    with store.lock():
        if not sqlite_file:
            with store.write() as connection:
                read_archive(connection, path)
        elif store.is_sqlite:
            _restore_sqlite(path, store)
        else:
            raise StateError(
                f"{path} is a copy of a SQLite database, and {store.url} is not one; "
                "make a portable archive with `ustory db export` and restore that"
            )


def _restore_sqlite(path: Path, store: Store) -> None:
    with (
        in_words(str(path)),
        closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as source,
    ):
        said = [row[0] for row in source.execute("PRAGMA integrity_check(5)")]
        if said != ["ok"]:
            raise StateError(f"the backup {path} is damaged ({said[0]}); give another")
        names = source.execute("SELECT name FROM sqlite_master").fetchall()
        if ("revisions",) not in names:
            raise StateError(f"{path} is not a database of ustory; give one that is")
        with closing(store.engine.raw_connection()) as target:
            assert target.driver_connection is not None
            source.backup(target.driver_connection)
    store.engine.dispose()
    migrate(store)
