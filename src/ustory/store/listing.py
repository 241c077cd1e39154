"""Lists of stories, one story, related ones, and articles per day and hour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    case,
    func,
    literal_column,
    or_,
    select,
    tuple_,
    type_coerce,
    union_all,
)

from ustory.core.errors import ConfigError
from ustory.store.article_hits import search_articles as search_articles
from ustory.store.mapping import (
    RowPage,
    all_pages,
    chunks,
    decode_cursor,
    load,
    load_all,
    load_one,
    page_of,
)
from ustory.store.query import StoryQuery as StoryQuery
from ustory.store.query import list_stories as list_stories
from ustory.store.tables import (
    SlideRow,
    StoryDay,
    StoryRow,
    articles,
    slides,
    stories,
    story_days,
    story_keywords,
    story_sources,
)

_LONGEST_CHAIN = 1000
_EACH_KEYWORD = 60
_live = stories.c.status == "live"
_MARK = 12
"""Digits of a slide's digest that a mark holds."""


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


def merged_stories(connection: Connection, story_id: str, limit: int) -> list[str]:
    """Return the ids of stories that merged into one."""
    return _linked_ids(connection, stories.c.merged_into, story_id, limit)


def split_stories(connection: Connection, story_id: str, limit: int) -> list[str]:
    """Return the ids of stories that were split from one."""
    return _linked_ids(connection, stories.c.split_from, story_id, limit)


def _linked_ids(
    connection: Connection, link: Column[object], story_id: str, limit: int
) -> list[str]:
    query = select(stories.c.id).where(link == story_id).limit(limit)
    return list(connection.execute(query).scalars())


def stories_with_headlines(
    connection: Connection, headlines: Collection[str]
) -> list[StoryRow]:
    """Return the stories that have one of these headlines in any language."""
    found: list[StoryRow] = []
    for some in chunks(sorted(headlines)):
        query = select(stories).where(stories.c.headline.in_(some))
        found += load_all(connection, query, StoryRow)
    told = select(stories).where(stories.c.languages.is_not(None))
    for page in all_pages(connection, told, [stories.c.number]):
        rows = [load(StoryRow, row._mapping) for row in page]
        found += [
            row
            for row in rows
            if row.headline not in headlines
            and any(each.headline in headlines for each in row.in_languages)
        ]
    return found


def stories_merged_into(connection: Connection, ids: Collection[str]) -> list[StoryRow]:
    """Return the stories with these ids, and those that merged into one of them."""
    found: list[StoryRow] = []
    for some in chunks(sorted(ids)):
        here = or_(stories.c.id.in_(some), stories.c.merged_into.in_(some))
        found += load_all(connection, select(stories).where(here), StoryRow)
    return found


def highest_story(connection: Connection) -> str | None:
    """Return the id of the story with the highest number."""
    longest = func.length(stories.c.id).desc()
    query = select(stories.c.id).order_by(longest, stories.c.id.desc()).limit(1)
    return connection.execute(query).scalar()


def all_live(connection: Connection) -> list[StoryRow]:
    """Return all stories that have articles in the window."""
    return load_all(connection, select(stories).where(_live), StoryRow)


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
) -> RowPage[StoryRow]:
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


def changes_mark(row: SlideRow) -> str:
    """Return the mark of a slide that is done, to ask for what changed after it."""
    return f"{row.number}-{(row.digest or '')[:_MARK]}"


def marked_slide(connection: Connection, mark: str) -> int:
    """Return the number of the slide that a mark is of.

    A mark holds some of the slide's digest: after a backup was put in place, or
    slides were done anew, the same number may be of another slide.
    """
    number, _, digest = mark.partition("-")
    query = select(slides).where(slides.c.status == "done")
    if number.isdecimal() and int(number) < 2**62:
        found = load_one(
            connection, query.where(slides.c.number == int(number)), SlideRow
        )
        if found is not None and changes_mark(found) == f"{int(number)}-{digest}":
            return found.number
    raise ConfigError(
        f"no slide has the mark {mark[:80]!r}; the archive may have been replaced "
        "by a backup since: begin again without a mark"
    )


def slide_time(row: SlideRow) -> datetime:
    """Return the time a slide counts by: its end, or when it was done if that is less.

    A slide that is full is closed and done before its end, so its end may be ahead.
    """
    return row.end if row.done_at is None else min(row.end, row.done_at)


def _slide_at(connection: Connection, since: datetime) -> int:
    """Return the slide after which everything is newer than a time.

    Where slides share that time the first of them counts: whoever was given it may
    not have seen the others.
    """
    early = slides.c.done_at.is_not(None) & (slides.c.done_at < slides.c.end)
    time = case((early, slides.c.done_at), else_=slides.c.end)
    before = case((time > since, slides.c.number - 1), else_=slides.c.number)
    query = select(func.min(before)).where(slides.c.end >= since, time >= since)
    found = connection.execute(query).scalar_one()
    if found is None:
        found = connection.execute(select(func.max(slides.c.number))).scalar_one()
    return int(found or 0)


_HOUR = "3600000000"
"""In microseconds, as times are kept; no parameter, or it could not be grouped by."""


def days_of_stories(
    connection: Connection, ids: Collection[str], first: int, last: int
) -> list[StoryDay]:
    """Return the days of some stories, from one day since 1970 to another."""
    day = story_days.c.day
    found: list[StoryDay] = []
    for some in chunks(ids):
        query = select(story_days).where(story_days.c.story.in_(some))
        query = query.where(day >= first, day <= last)
        found += load_all(connection, query.order_by(story_days.c.story, day), StoryDay)
    return found


def hours_of_stories(
    connection: Connection, ids: Collection[str], since: datetime, until: datetime
) -> dict[str, dict[int, int]]:
    """Return how many articles some stories had in each hour since 1970.

    Hours without articles are left out. Only an index is read.
    """
    at: Column[Any] = articles.c.published_at
    hour = (type_coerce(at, BigInteger) // literal_column(_HOUR, BigInteger)).label("h")
    found: dict[str, dict[int, int]] = {story: {} for story in ids}
    for some in chunks(ids):
        query = (
            select(articles.c.story, hour, func.count().label("n"))
            .where(articles.c.story.in_(some), at >= since, at < until)
            .group_by(articles.c.story, hour)
        )
        for story, number, count in connection.execute(query):
            found[story][int(number)] = int(count)
    return found
