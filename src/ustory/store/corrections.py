"""What is written where stories turn out otherwise than the archive has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, delete, select, update

from ustory.store.digest import slide_digest
from ustory.store.mapping import chunks, load_all, upsert, values
from ustory.store.results import Placement, place_articles
from ustory.store.tables import (
    ArticleRow,
    DecisionRow,
    StoryDay,
    articles,
    decisions,
    slides,
    story_days,
    story_sources,
)


def places_of(connection: Connection, slides_after: int = 0) -> dict[str, str | None]:
    """Return the story of each article of the slides that are done behind one."""
    query = select(articles.c.id, articles.c.story).where(
        articles.c.slide > slides_after, articles.c.waiting.is_(False)
    )
    found = connection.execute(query, execution_options={"yield_per": 10_000})
    return {row.id: row.story for row in found}


def newest_decisions(
    connection: Connection, ids: Collection[str]
) -> dict[str, DecisionRow]:
    """Return the newest decision about each of some articles."""
    found: dict[str, DecisionRow] = {}
    for some in chunks(ids):
        query = select(decisions).where(decisions.c.article.in_(some))
        rows = load_all(connection, query.order_by(decisions.c.slide), DecisionRow)
        found |= {row.article: row for row in rows}
    return found


def decide_again(connection: Connection, rows: Sequence[DecisionRow]) -> None:
    """Put articles where corrected decisions say; each replaces one of its slide."""
    upsert(connection, decisions, [values(row) for row in rows])
    place_articles(
        connection,
        {
            row.article: Placement(
                story=row.story,
                how=str(row.record.get("how", "")),
                confidence=float(row.record.get("confidence") or 0.0),
                copy_of=row.record.get("copy_of"),
            )
            for row in rows
        },
    )


def articles_of(
    connection: Connection, stories: Collection[str]
) -> dict[str, list[ArticleRow]]:
    """Return all articles of some stories, by intake number."""
    found: dict[str, list[ArticleRow]] = {story: [] for story in stories}
    for some in chunks(stories):
        query = select(articles).where(articles.c.story.in_(some))
        for row in load_all(connection, query.order_by(articles.c.seq), ArticleRow):
            assert row.story is not None
            found[row.story].append(row)
    return found


def days_of(
    connection: Connection, stories: Collection[str]
) -> dict[tuple[str, int], StoryDay]:
    """Return what is known of all days of some stories."""
    found: dict[tuple[str, int], StoryDay] = {}
    for some in chunks(stories):
        query = select(story_days).where(story_days.c.story.in_(some))
        rows = load_all(connection, query, StoryDay)
        found |= {(row.story, row.day): row for row in rows}
    return found


def forget_days(connection: Connection, days: Iterable[tuple[str, int]]) -> None:
    """Take away days on which a story has no article any more."""
    for story, day in days:
        here = (story_days.c.story == story) & (story_days.c.day == day)
        connection.execute(delete(story_days).where(here))


def forget_sources(connection: Connection, left: Mapping[str, Collection[str]]) -> None:
    """Take away sources of stories that none of their articles is by any more."""
    for story, sources in left.items():
        here = story_sources.c.story == story
        gone = here & story_sources.c.source.not_in(sorted(sources))
        connection.execute(delete(story_sources).where(gone))


def forget_parts(connection: Connection, story: str) -> None:
    """Take away the days and sources of a story, before they are written again."""
    for table in (story_days, story_sources):
        connection.execute(delete(table).where(table.c.story == story))


def restate_slide(connection: Connection, number: int) -> None:
    """Give the last slide that is done the digest of what it decides now."""
    digest = slide_digest(connection, number)
    here = slides.c.number == number
    connection.execute(update(slides).where(here).values(digest=digest))
