"""A second database beside an archive, in which slides are computed once more."""

from __future__ import annotations

import glob
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from sqlalchemy import (
    Connection,
    Exists,
    ScalarSelect,
    Select,
    Table,
    and_,
    create_engine,
    delete,
    func,
    or_,
    select,
    update,
)

from ustory.core.errors import StateError
from ustory.store.address import file_of, parse_address
from ustory.store.claim import claimed
from ustory.store.database import Store
from ustory.store.fulltext import STORIES
from ustory.store.languages import forget_languages
from ustory.store.mapping import add, all_pages, chunks
from ustory.store.reindex import rebuild_stories
from ustory.store.results import Placement, place_articles, story_document
from ustory.store.search_rows import forget_story_facts, note_where
from ustory.store.tables import (
    articles,
    decisions,
    events,
    revisions,
    slides,
    snapshots,
    stories,
    story_days,
    story_keywords,
    story_sources,
)

_PREFIX = "ustory-retell-"
_FILE = "side.db"
_LONGEST = 60
"""Characters of a database's name in that of a folder."""
_THEN = and_(
    revisions.c.article == articles.c.id, revisions.c.slide <= articles.c.slide
)
"""The texts that an article had when its slide was closed."""


@contextmanager
def side_store(store: Store) -> Iterator[Store]:
    """Give an empty database for a while, on the disk that the archive is on.

    It is claimed meanwhile: so one that a killed process has left can be told from
    one in use.
    """
    folder, name = _place(store)
    with TemporaryDirectory(prefix=f"{_PREFIX}{name}-", dir=folder) as place:
        side = Store.open(str(Path(place) / _FILE))
        try:
            with side.lock():
                yield side
        finally:
            side.close()


def sides_beside(store: Store) -> list[Path]:
    """Return the folders of such databases beside an archive.

    Those of older releases do not say of which archive they are: all are named.
    """
    return sorted(path for path in _place(store)[0].glob(f"{_PREFIX}*"))


def remove_left_sides(store: Store) -> None:
    """Remove those of this archive that killed processes have left."""
    folder, name = _place(store)
    for path in sorted(folder.glob(f"{_PREFIX}{glob.escape(name)}-*")):
        file = path / _FILE
        # without a claim it is just being made, and has nothing in it yet
        if path.is_symlink() or not file.with_name(f"{_FILE}-serving").is_file():
            continue
        engine = create_engine(parse_address(str(file)))
        with suppress(StateError), claimed(engine):  # StateError: it is in use
            shutil.rmtree(path, ignore_errors=True)
        engine.dispose()


def _place(store: Store) -> tuple[Path, str]:
    """Return the folder of an archive, and its name for names of folders."""
    file = file_of(store.engine.url)
    if file is None:
        return Path(gettempdir()), (store.engine.url.database or "ustory")[:_LONGEST]
    return file.absolute().parent, file.name[:_LONGEST]


def copy_past(source: Connection, target: Connection, slide: int, last: int) -> None:
    """Copy what was decided up to a slide, as it stood then, and no text.

    Of the slides up to `last` the articles are back where they were.
    """
    for table in (stories, decisions):
        _copy(source, target, table, select(table))
    rebuild_stories(target)
    there = or_(articles.c.slide <= slide, _has_text())
    all_articles = select(articles).where(articles.c.slide <= last, there)
    _copy(source, target, articles, all_articles)
    _copy(source, target, slides, select(slides).where(slides.c.number <= last))
    reopen_after(target, slide)


def copy_slides(
    source: Connection, target: Connection, after: int, last: int, *, known: bool
) -> None:
    """Copy the texts of the slides behind one, and where not `known` their articles.

    An article whose text was let go of is left out.
    """
    within = and_(articles.c.slide > after, articles.c.slide <= last)
    told = select(revisions).join(articles, _THEN).where(within)
    _copy(source, target, revisions, told.where(revisions.c.text.is_not(None)))
    if known:
        return
    _copy(source, target, articles, select(articles).where(within, _has_text()))
    some = and_(slides.c.number > after, slides.c.number <= last)
    _copy(source, target, slides, select(slides).where(some))
    target.execute(
        update(slides).where(slides.c.number > after).values(status="closed")
    )
    target.execute(
        update(articles)
        .where(articles.c.slide > after)
        .values(story=None, how="", copy_of=None, waiting=True)
    )
    forget_languages(target, after)


def stand_as(target: Connection, live: Mapping[str, int]) -> None:
    """Set which stories are live, and how many articles each had."""
    over = stories.c.status == "live"
    target.execute(update(stories).where(over).values(status="expired"))
    for story, total in live.items():
        target.execute(
            update(stories)
            .where(stories.c.id == story)
            .values(status="live", merged_into=None, articles=total)
        )


def _has_text() -> Exists:
    """Whether the text is kept that an article had in its slide."""
    there = select(revisions.c.seq).where(_THEN, revisions.c.text.is_not(None))
    return there.exists()


def _copy(
    source: Connection, target: Connection, table: Table, query: Select[Any]
) -> None:
    for page in all_pages(source, query, list(table.primary_key)):
        add(target, table, [dict(row._mapping) for row in page])


def reopen_after(connection: Connection, slide: int) -> int:
    """Remove what the slides after this one decided; return how many are open again.

    Articles go back to where the decisions before put them, and stories born later
    are taken out. Stories that only changed later stay as they are until their slide
    is done again. Matches and deliveries stay, so that nobody is told twice.
    """
    moved = select(decisions.c.article).where(decisions.c.slide > slide).distinct()
    ids = list(connection.execute(moved).scalars())
    for table in (decisions, events, snapshots):
        connection.execute(delete(table).where(table.c.slide > slide))
    _wait_again(connection, slide)
    _place_again(connection, ids)
    _unmake_stories(connection, slide)
    again = (
        update(slides)
        .where(slides.c.number > slide, slides.c.status == "done")
        .values(
            status="closed",
            done_at=None,
            articles=0,
            stories=0,
            seconds={},
            digest=None,
        )
    )
    return connection.execute(again).rowcount


def _wait_again(connection: Connection, slide: int) -> None:
    connection.execute(
        update(articles)
        .where(articles.c.slide > slide)
        .values(story=None, how="", confidence=0.0, copy_of=None, waiting=True)
    )
    forget_languages(connection, slide)
    note_where(connection, articles.c.slide > slide)


def _place_again(connection: Connection, ids: Collection[str]) -> None:
    """Put articles where their newest decision puts them, into none without one."""
    places = {name: Placement(story=None, how="") for name in ids}
    for some in chunks(ids):
        query = (
            select(decisions)
            .where(decisions.c.article.in_(some), decisions.c.slide == _newest())
            .order_by(decisions.c.article)
        )
        for row in connection.execute(query):
            places[row.article] = Placement(
                story=row.story,
                how=str(row.record.get("how", "")),
                confidence=float(row.record.get("confidence") or 0.0),
                copy_of=row.record.get("copy_of"),
            )
    place_articles(connection, places)


def _newest() -> ScalarSelect[int]:
    other = decisions.alias()
    newest = select(func.max(other.c.slide)).where(
        other.c.article == decisions.c.article
    )
    return newest.correlate(decisions).scalar_subquery()


def _unmake_stories(connection: Connection, slide: int) -> None:
    born = select(stories).where(stories.c.born_slide > slide)
    rows = connection.execute(born).all()
    gone = [story_document(row.number, row) for row in rows]
    STORIES.remove(connection, gone)
    forget_story_facts(connection, [row.number for row in rows])
    parts: tuple[Table, ...] = (story_days, story_keywords, story_sources)
    for some in chunks(row.id for row in rows):
        for table in parts:
            connection.execute(delete(table).where(table.c.story.in_(some)))
        connection.execute(delete(stories).where(stories.c.id.in_(some)))
