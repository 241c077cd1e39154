"""A second database beside an archive, in which slides are computed once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Exists, Select, Table, and_, or_, select, update

from ustory.store.address import file_of
from ustory.store.database import Store
from ustory.store.mapping import add
from ustory.store.reindex import rebuild_stories
from ustory.store.reopen import reopen_after
from ustory.store.schema import articles, decisions, revisions, slides, stories

_STEP = 1000
_THEN = and_(
    revisions.c.article == articles.c.id, revisions.c.slide <= articles.c.slide
)
"""The texts that an article had when its slide was closed."""


@contextmanager
def side_store(store: Store) -> Iterator[Store]:
    """Give an empty database for a while, on the disk that the archive is on."""
    file = file_of(store.engine.url)
    folder = None if file is None else file.absolute().parent
    with TemporaryDirectory(prefix="ustory-retell-", dir=folder) as place:
        side = Store.open(str(Path(place) / "side.db"))
        try:
            yield side
        finally:
            side.close()


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


def stand_as(target: Connection, live: Mapping[str, int]) -> None:
    """Say which stories are live, and how many articles each had."""
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
    ordered = query.order_by(*table.primary_key)
    found = source.execute(ordered, execution_options={"yield_per": _STEP})
    for part in found.mappings().partitions(_STEP):
        add(target, table, [dict(row) for row in part])
