"""Lists of stories, one story, and what is like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select, tuple_, union_all

from ustory.core.errors import ConfigError
from ustory.store.mapping import chunks, load_all, load_one
from ustory.store.paging import decode_cursor, page_of
from ustory.store.query import StoryQuery, list_stories
from ustory.store.rows import ArticleRow, Page, StoryDay, StoryRow
from ustory.store.schema import (
    articles,
    slides,
    stories,
    story_days,
    story_keywords,
    story_sources,
)
from ustory.store.words import ARTICLES

__all__ = [
    "Found",
    "StoryQuery",
    "changes",
    "days_of_story",
    "list_stories",
    "related",
    "search_articles",
    "sources_of_story",
    "stories_by_id",
    "story",
]

_LONGEST_CHAIN = 1000
_EACH_KEYWORD = 60


@dataclass(frozen=True, slots=True)
class Found:
    """A story, and the merged ones that led to it, the one asked for first."""

    story: StoryRow
    chain: tuple[str, ...] = ()


def story(connection: Connection, story_id: str) -> Found | None:
    """Return the story with this id, or the one it is part of now."""
    chain: list[str] = []
    while len(chain) < _LONGEST_CHAIN:
        query = select(stories).where(stories.c.id == story_id)
        row = load_one(connection, query, StoryRow)
        if row is None:
            return None
        if row.merged_into is None or row.merged_into in chain:
            return Found(row, tuple(chain))
        chain.append(row.id)
        story_id = row.merged_into
    return None


def stories_by_id(
    connection: Connection, ids: Collection[str]
) -> Mapping[str, StoryRow]:
    """Return the stories there are among these ids; merged ones as they are."""
    found: dict[str, StoryRow] = {}
    for some in chunks(ids):
        query = select(stories).where(stories.c.id.in_(some))
        found |= {row.id: row for row in load_all(connection, query, StoryRow)}
    return found


def days_of_story(connection: Connection, story_id: str) -> list[StoryDay]:
    """Return the days of a story, oldest first."""
    query = select(story_days).where(story_days.c.story == story_id)
    return load_all(connection, query.order_by(story_days.c.day), StoryDay)


def sources_of_story(connection: Connection, story_id: str) -> list[str]:
    """Return every source a story ever had, by name."""
    query = select(story_sources.c.source).where(story_sources.c.story == story_id)
    return list(connection.execute(query.order_by(story_sources.c.source)).scalars())


def related(connection: Connection, story_id: str, limit: int = 10) -> list[StoryRow]:
    """Return the stories that share two keywords or more: live first, then the most.

    Of the stories with a keyword only the last seen are looked at, so that a word in
    every story costs no more than a rare one.
    """
    link = story_keywords.c
    own = connection.execute(select(link.keyword).where(link.story == story_id))
    looks = [
        select(link.story, link.status)
        .where(link.keyword == keyword, link.status == status)
        .order_by(link.last_seen.desc(), link.story.desc())
        .limit(_EACH_KEYWORD)
        .subquery()
        for keyword in own.scalars().all()
        for status in ("live", "expired")
    ]
    if not looks:
        return []
    found = connection.execute(union_all(*(select(look) for look in looks))).all()
    shared = Counter((row.status != "live", row.story) for row in found)
    ranked = sorted(
        (is_over, -count, name)
        for (is_over, name), count in shared.items()
        if count > 1 and name != story_id
    )
    names = [name for _, _, name in ranked[:limit]]
    rows = stories_by_id(connection, names)
    return [rows[name] for name in names]


def changes(
    connection: Connection,
    since: int | datetime,
    limit: int = 100,
    cursor: str | None = None,
) -> Page[StoryRow]:
    """Return the stories that changed after a slide or a time, oldest change first.

    Merged and expired ones are among them; a story appears once, as it stands now.
    """
    slide = since if isinstance(since, int) else _slide_at(connection, since)
    key = (stories.c.changed_slide, stories.c.id)
    query = select(stories).where(stories.c.changed_slide > slide)
    if cursor is not None:
        query = query.where(tuple_(*key) > decode_cursor(cursor, "changes", key))
    found = load_all(connection, query.order_by(*key).limit(limit + 1), StoryRow)
    return page_of(found, limit, lambda row: ("changes", row.changed_slide, row.id))


def search_articles(
    connection: Connection, text: str, limit: int = 20, cursor: str | None = None
) -> Page[ArticleRow]:
    """Return a page of the articles in which all words of `text` are, newest first.

    Newest as they came in. See `parse_query` for what else may be asked.
    """
    if limit < 1:
        raise ConfigError(f"a page holds at least one article; got a limit of {limit}")
    before = None
    if cursor is not None:
        before = decode_cursor(cursor, "search", (articles.c.seq,))[0]
    seqs = ARTICLES.find(connection, text, limit + 1, before)
    query = select(articles).where(articles.c.seq.in_(seqs))
    found = load_all(connection, query.order_by(articles.c.seq.desc()), ArticleRow)
    return page_of(found, limit, lambda row: ("search", row.seq))


def _slide_at(connection: Connection, since: datetime) -> int:
    """Return the last slide that had ended by then."""
    query = select(slides.c.number).where(slides.c.end <= since)
    last = query.order_by(slides.c.end.desc(), slides.c.number.desc()).limit(1)
    return connection.execute(last).scalar_one_or_none() or 0
