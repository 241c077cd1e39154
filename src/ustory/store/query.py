"""Listing stories: filters, four sorts, pages; no page reads more than a few rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Select, any_, func, select, tuple_

from ustory.core.errors import ConfigError
from ustory.store import index_scan
from ustory.store.fulltext import ARTICLES, STORIES
from ustory.store.index_scan import (
    SORTS,
    STATUSES,
    IndexScan,
    StoryQuery,
    columns_of,
    has_tag,
)
from ustory.store.mapping import (
    RowPage,
    chunks,
    decode_cursor,
    encode_cursor,
    load_all,
    page_of,
)
from ustory.store.tables import StoryRow, articles, stories

__all__ = ["SORTS", "STATUSES", "StoryQuery", "list_stories"]

_FIRST_SCANNED = 400
"""How many rows a scan reads at first; more only if the page is not full."""
_MAX_SCANNED = 2000
"""How many rows a scan reads at most; then the page ends early, with a cursor."""
_ARTICLE_HITS, _STORY_HITS = 50, 20
"""How many articles, and how many headlines, a text search reads."""

_Key = tuple[Any, ...]
"""The sort key of a story; the last value is its id."""


def list_stories(connection: Connection, query: StoryQuery) -> RowPage[StoryRow]:
    """Return a page of stories.

    Follow the cursor until it is None: if few stories pass the filters, a page may
    hold fewer than `limit`, or none, and not be the last.
    """
    _check(query)
    if query.text is not None:
        hits = _hits(connection, query.text)
        found = _among(connection, query, hits, query.statuses)
        return _page(connection, query, found)
    return _merged_scans(connection, query)


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


def _page(
    connection: Connection, query: StoryQuery, found: Sequence[_Key]
) -> RowPage[StoryRow]:
    """Return the page that begins with these keys; only its rows are read whole."""
    page = page_of(found, query.limit, lambda key: (query.sort, *key))
    rows = {row.id: row for row in _rows(connection, [key[-1] for key in page.items])}
    return RowPage([rows[key[-1]] for key in page.items], page.cursor)


def _after(query: StoryQuery) -> _Key | None:
    if query.cursor is None:
        return None
    return decode_cursor(query.cursor, query.sort, columns_of(query.sort))


def _hits(connection: Connection, text: str) -> list[str]:
    """Return the stories of the newest hits; common words cost no more."""
    seqs = ARTICLES.find(connection, text, _ARTICLE_HITS)
    through = select(articles.c.story).where(
        articles.c.seq.in_(seqs), articles.c.story.is_not(None)
    )
    numbers = STORIES.find(connection, text, _STORY_HITS)
    named = select(stories.c.id).where(stories.c.number.in_(numbers))
    found = [
        *connection.execute(through).scalars(),
        *connection.execute(named).scalars(),
    ]
    return list(dict.fromkeys(map(str, found)))


def _among(
    connection: Connection,
    query: StoryQuery,
    ids: Collection[str] | Select[Any],
    statuses: Sequence[str],
) -> list[_Key]:
    """Return the first of these few stories that pass all filters."""
    if isinstance(ids, Select) and connection.dialect.name == "postgresql":
        # as an array, or the planner may read all stories to join them
        here = stories.c.id == any_(func.array(ids.scalar_subquery()))
    else:
        here = stories.c.id.in_(ids)
    columns = columns_of(query.sort)
    # not the bare column, or a planner may scan the index of the sort
    status = func.coalesce(stories.c.status, "")
    chosen = select(*columns).where(here, status.in_(statuses))
    if query.since is not None:
        chosen = chosen.where(stories.c.last_seen >= query.since)
    if query.until is not None:
        chosen = chosen.where(stories.c.first_seen < query.until)
    if query.lang is not None:
        chosen = chosen.where(stories.c.lang == query.lang)
    chosen = chosen.where(*(has_tag(stories.c.id, *tag) for tag in query.tags))
    after = _after(query)
    if after is not None:
        chosen = chosen.where(tuple_(*columns) < after)
    first = chosen.order_by(*(column.desc() for column in columns))
    return [tuple(row) for row in connection.execute(first.limit(query.limit + 1))]


def _merged_scans(connection: Connection, query: StoryQuery) -> RowPage[StoryRow]:
    """Scan each status in the order of the sort, and merge the results."""
    found: list[_Key] = []
    cuts: list[_Key] = []
    after = _after(query)
    for status in query.statuses:
        scan = IndexScan(query, status)
        if after is not None:
            scan.start_after(after)
        if len(found) > query.limit:
            # the page is full: only stories before its end matter
            scan.stop_before(found[query.limit])
        keys, cut = _scanned(connection, query, scan, status)
        found = sorted(found + keys, reverse=True)
        cuts += [cut] if cut else []
    if cuts:
        # below the highest cut, a scan that ended early may have missed stories
        found = [key for key in found if key >= max(cuts)]
        if len(found) <= query.limit:
            page = _page(connection, query, found)
            return RowPage(page.items, encode_cursor((query.sort, *max(cuts))))
    return _page(connection, query, found)


def _scanned(
    connection: Connection, query: StoryQuery, scan: IndexScan, status: str
) -> tuple[list[_Key], _Key | None]:
    """Return the keys that a scan found, and where it ended early."""
    wanted = query.limit + 1
    if scan.is_empty:
        return [], None
    if not scan.filters():
        found = connection.execute(scan.rows(scan.sort_columns).limit(wanted))
        return [scan.key(row) for row in found], None
    ids = index_scan.small_filter(connection, query, status)
    if ids is not None:
        return _among(connection, query, ids, [status]), None
    keys: list[_Key] = []
    for count in (min(_FIRST_SCANNED, _MAX_SCANNED), _MAX_SCANNED):
        keys = _passing(connection, scan, count, wanted)
        if len(keys) == wanted:
            return keys, None
    end = scan.rows(scan.sort_columns).offset(_MAX_SCANNED - 1).limit(1)
    cut = connection.execute(end).first()
    return keys, None if cut is None else scan.key(cut)


def _passing(
    connection: Connection, scan: IndexScan, count: int, wanted: int
) -> list[_Key]:
    """Return the keys of those among the next rows that pass the filters, in order."""
    # only the columns that the filters need: rows that pass are read whole later
    near = scan.rows(scan.needed).limit(count).subquery()
    order = [near.c[name] for name in scan.sort_columns]
    chosen = select(*order).where(*scan.filters(near))
    first = chosen.order_by(*(column.desc() for column in order)).limit(wanted)
    return [scan.key(row) for row in connection.execute(first)]


def _rows(connection: Connection, ids: Sequence[str]) -> list[StoryRow]:
    found: list[StoryRow] = []
    for some in chunks(ids):
        query = select(stories).where(stories.c.id.in_(some))
        found += load_all(connection, query, StoryRow)
    return found
