"""Listing stories: filters, four sorts, pages; no page reads more than a few rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnCollection,
    ColumnElement,
    Connection,
    Select,
    func,
    select,
    tuple_,
)

from ustory.core.errors import ConfigError
from ustory.store.mapping import chunks, load_all
from ustory.store.paging import decode_cursor, encode_cursor, page_of
from ustory.store.rows import Page, StoryRow
from ustory.store.schema import articles, stories, story_keywords, story_sources
from ustory.store.words import ARTICLES, STORIES

SORTS = {
    "heat": ("heat", "last_seen", "id"),
    "size": ("articles", "id"),
    "recent": ("last_seen", "id"),
    "new": ("first_seen", "id"),
}
"""What each sort goes by, the highest first; every one has an index."""
STATUSES = ("live", "expired", "merged")

_FEW = 500
"""A filter that so few stories pass is read whole; others are checked on the way."""
_FAR = 2000
"""How many stories a page may pass over; then it ends, with a cursor."""
_HITS = 50
"""How many hits of a text search stand for stories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryQuery:
    """Which stories, in which order, and which page of them."""

    status: str | None = None
    """`live`, `expired` or `merged`; None means live and expired."""
    since: datetime | None = None
    """Its newest article is not older."""
    until: datetime | None = None
    """Its oldest article is older."""
    keyword: str | None = None
    source: str | None = None
    lang: str | None = None
    text: str | None = None
    """Words of its headline, its keywords or one of its newest articles."""
    sort: str = "heat"
    limit: int = 20
    cursor: str | None = None


def list_stories(connection: Connection, query: StoryQuery) -> Page[StoryRow]:
    """Return a page of stories.

    Follow the cursor until it is None: where few stories pass the filters, a page may
    hold fewer than asked for, or none, and not be the last.
    """
    _check(query)
    candidates = _candidates(connection, query)
    if candidates is None:
        return _walk(connection, query)
    found: list[StoryRow] = []
    for some in chunks(candidates):
        chosen = select(stories).where(stories.c.id.in_(some))
        # not the bare column, or a planner may walk along the index of the sort
        status = func.coalesce(stories.c.status, "")
        chosen = chosen.where(status.in_(_statuses(query)))
        chosen = _after(chosen.where(*_filters(query, stories.c)), query)
        newest = _ordered(chosen, query, stories.c).limit(query.limit + 1)
        found += load_all(connection, newest, StoryRow)
    found.sort(key=lambda row: _key(row, query.sort), reverse=True)
    return page_of(found, query.limit, lambda row: (query.sort, *_key(row, query.sort)))


def _check(query: StoryQuery) -> None:
    if query.sort not in SORTS:
        raise ConfigError(
            f"stories are sorted by {', '.join(SORTS)}; got {query.sort!r}"
        )
    if query.status not in (None, *STATUSES):
        raise ConfigError(
            f"a story's status is {', '.join(STATUSES)}; got {query.status!r}"
        )
    if query.limit < 1:
        raise ConfigError(f"a page holds at least one story; got {query.limit}")


def _statuses(query: StoryQuery) -> tuple[str, ...]:
    return ("live", "expired") if query.status is None else (query.status,)


def _key(row: StoryRow, sort: str) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in SORTS[sort])


def _candidates(connection: Connection, query: StoryQuery) -> Collection[str] | None:
    """Return the ids that pass one of the filters, None where all let many pass."""
    if query.text is not None:
        return _hits(connection, query.text)
    for driver in _drivers(query):
        found: list[str] = []
        for ids in driver:
            found += connection.execute(ids.limit(_FEW + 1)).scalars().all()
        if len(found) <= _FEW:
            return found
    return None


def _drivers(query: StoryQuery) -> Iterator[list[Select[Any]]]:
    """Return, for each filter, the walks along an index that find what passes it."""
    if query.keyword is not None:
        link = story_keywords.c
        yield [select(link.story).where(link.keyword == query.keyword)]
    if query.source is not None:
        link = story_sources.c
        yield [select(link.story).where(link.source == query.source)]
    ids = select(stories.c.id)
    here = [ids.where(stories.c.status == status) for status in _statuses(query)]
    seen, begun = stories.c.last_seen, stories.c.first_seen
    if query.lang is not None:
        yield [one.where(stories.c.lang == query.lang) for one in here]
    # in the order of the index, or a planner may read the table instead
    if query.since is not None:
        yield [one.where(seen >= query.since).order_by(seen.desc()) for one in here]
    if query.until is not None:
        yield [one.where(begun < query.until).order_by(begun) for one in here]


def _hits(connection: Connection, text: str) -> list[str]:
    seqs = ARTICLES.find(connection, text, _HITS)
    through = select(articles.c.story).where(
        articles.c.seq.in_(seqs), articles.c.story.is_not(None)
    )
    numbers = STORIES.find(connection, text, _HITS)
    named = select(stories.c.id).where(stories.c.number.in_(numbers))
    found = [
        *connection.execute(through).scalars(),
        *connection.execute(named).scalars(),
    ]
    return list(dict.fromkeys(map(str, found)))


def _walk(connection: Connection, query: StoryQuery) -> Page[StoryRow]:
    """Go down the index of the sort, one walk for each status, and merge them."""
    found: list[StoryRow] = []
    cuts: list[tuple[Any, ...]] = []
    for status in _statuses(query):
        way = _way(query, status)
        if len(found) > query.limit:
            # the page is full: only what comes before its end is of interest
            end = _key(found[query.limit], query.sort)
            way = way.where(tuple_(*_columns(query)) > end)
        rows, cut = _walk_one(connection, query, way)
        found += rows
        cuts += [cut] if cut else []
    found.sort(key=lambda row: _key(row, query.sort), reverse=True)
    if cuts:
        # below the highest cut a walk that was cut short may have missed some
        found = [row for row in found if _key(row, query.sort) >= max(cuts)]
        if len(found) <= query.limit:
            return Page(found, encode_cursor((query.sort, *max(cuts))))
    return page_of(found, query.limit, lambda row: (query.sort, *_key(row, query.sort)))


def _way(query: StoryQuery, status: str) -> Select[Any]:
    """Return the walk down the index of the sort through the stories of a status."""
    way = _after(select(stories).where(stories.c.status == status), query)
    return _ordered(way.where(*_bounds(query)), query, stories.c)


def _walk_one(
    connection: Connection, query: StoryQuery, way: Select[Any]
) -> tuple[list[StoryRow], tuple[Any, ...] | None]:
    """Return what passes the filters on the way, and where the walk was cut short."""
    wanted = query.limit + 1
    if not _filters(query, stories.c):
        return load_all(connection, way.limit(wanted), StoryRow), None
    # only what the filters look at: the whole rows are read of those that pass
    looked_at = {column.name: column for column in _columns(query)}
    if query.since or query.until or query.lang:
        names = ("last_seen", "first_seen", "lang")
        looked_at |= {name: stories.c[name] for name in names}
    near = way.with_only_columns(*looked_at.values()).limit(_FAR).subquery()
    chosen = select(near.c.id).where(*_filters(query, near.c))
    chosen = _ordered(chosen, query, near.c).limit(wanted)
    ids = connection.execute(chosen).scalars().all()
    rows = [row for some in chunks(ids) for row in _rows(connection, some)]
    rows.sort(key=lambda row: _key(row, query.sort), reverse=True)
    if len(rows) == wanted:
        return rows, None
    last = way.with_only_columns(*_columns(query))
    cut = connection.execute(last.offset(_FAR - 1).limit(1)).first()
    return rows, None if cut is None else tuple(cut)


def _rows(connection: Connection, ids: Sequence[str]) -> list[StoryRow]:
    return load_all(connection, select(stories).where(stories.c.id.in_(ids)), StoryRow)


def _columns(query: StoryQuery) -> list[Column[Any]]:
    return [stories.c[name] for name in SORTS[query.sort]]


def _bounds(query: StoryQuery) -> list[ColumnElement[bool]]:
    """Return the filter that ends, or begins, the walk along the index of the sort."""
    if query.sort == "recent" and query.since is not None:
        return [stories.c.last_seen >= query.since]
    if query.sort == "new" and query.until is not None:
        return [stories.c.first_seen < query.until]
    return []


def _ordered(
    chosen: Select[Any], query: StoryQuery, columns: ColumnCollection[str, Any]
) -> Select[Any]:
    return chosen.order_by(*(columns[name].desc() for name in SORTS[query.sort]))


def _after(chosen: Select[Any], query: StoryQuery) -> Select[Any]:
    if query.cursor is None:
        return chosen
    columns = _columns(query)
    key = decode_cursor(query.cursor, query.sort, columns)
    return chosen.where(tuple_(*columns) < key)


def _filters(
    query: StoryQuery, columns: ColumnCollection[str, Any]
) -> Sequence[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if query.since is not None:
        found.append(columns.last_seen >= query.since)
    if query.until is not None:
        found.append(columns.first_seen < query.until)
    if query.lang is not None:
        found.append(columns.lang == query.lang)
    for table, word in (
        (story_keywords, query.keyword),
        (story_sources, query.source),
    ):
        if word is not None:
            story, name = table.c
            linked = select(story).where(story == columns.id, name == word)
            found.append(linked.exists())
    return found
