"""Going back to the end of an earlier slide, so that later ones are done again."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, ScalarSelect, Table, delete, func, select, update

from ustory.store.fulltext import STORIES
from ustory.store.mapping import chunks
from ustory.store.results import Placement, place_articles, story_document
from ustory.store.tables import (
    articles,
    decisions,
    events,
    slides,
    snapshots,
    stories,
    story_days,
    story_keywords,
    story_sources,
)


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
    gone = [story_document(row.number, row.headline, row.keywords) for row in rows]
    STORIES.remove(connection, gone)
    parts: tuple[Table, ...] = (story_days, story_keywords, story_sources)
    for some in chunks(row.id for row in rows):
        for table in parts:
            connection.execute(delete(table).where(table.c.story.in_(some)))
        connection.execute(delete(stories).where(stories.c.id.in_(some)))
