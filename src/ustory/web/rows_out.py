"""Every story, article or event of the store, a page at a time, for exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from ustory.store import Store
from ustory.store.events import events_after
from ustory.store.mapping import load_all
from ustory.store.rows import ArticleRow, EventRow, StoryRow
from ustory.store.schema import articles, stories
from ustory.web.entries import web_link
from ustory.web.export import Columns, Row

_PAGE = 1_000
T = TypeVar("T")

STORIES: Columns = {
    "id": str, "status": str, "headline": str, "keywords": list, "articles": int,
    "inside": int, "sources": int, "heat": float, "first_seen": datetime,
    "last_seen": datetime, "born_at": datetime, "lang": str, "top_sources": list,
    "merged_into": str, "split_from": str,
}  # fmt: skip
ARTICLES: Columns = {
    "id": str, "title": str, "url": str, "source": str, "lang": str, "authors": list,
    "published_at": datetime, "claimed_at": datetime, "date_flag": str,
    "fetched_at": datetime, "story": str, "how": str, "confidence": float,
    "copy_of": str, "edits": int,
}  # fmt: skip
EVENTS: Columns = {
    "id": int, "kind": str, "story": str, "at": datetime, "slide": int,
    "articles": list,
}  # fmt: skip


def story_rows(store: Store) -> Iterator[Row]:
    """Yield every story, by its id."""

    def page(connection: Connection, after: StoryRow | None) -> list[StoryRow]:
        query = select(stories).order_by(stories.c.id).limit(_PAGE)
        if after is not None:
            query = query.where(stories.c.id > after.id)
        return load_all(connection, query, StoryRow)

    return (_values(row, STORIES) for row in _pages(store, page))


def article_rows(store: Store) -> Iterator[Row]:
    """Yield every article, in the order in which they came in."""

    def page(connection: Connection, after: ArticleRow | None) -> list[ArticleRow]:
        query = select(articles).order_by(articles.c.seq).limit(_PAGE)
        if after is not None:
            query = query.where(articles.c.seq > after.seq)
        return load_all(connection, query, ArticleRow)

    for row in _pages(store, page):
        yield {**_values(row, ARTICLES), "url": web_link(row.url)}


def event_rows(store: Store) -> Iterator[Row]:
    """Yield the whole ledger, from the first event."""

    def page(connection: Connection, after: EventRow | None) -> Sequence[EventRow]:
        return events_after(connection, after.id if after else 0, _PAGE)

    return (_values(row, EVENTS) for row in _pages(store, page))


def _pages(
    store: Store, page: Callable[[Connection, T | None], Sequence[T]]
) -> Iterator[T]:
    """Yield rows in short looks: a slow reader must not hold a view for hours."""
    last: T | None = None
    while True:
        with store.read() as connection:
            rows = page(connection, last)
        yield from rows
        if len(rows) < _PAGE:
            return
        last = rows[-1]


def _values(row: StoryRow | ArticleRow | EventRow, columns: Columns) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in columns}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}


KINDS: Mapping[str, tuple[Columns, Callable[[Store], Iterator[Row]]]] = {
    "stories": (STORIES, story_rows),
    "articles": (ARTICLES, article_rows),
    "events": (EVENTS, event_rows),
}
"""What can be exported."""
