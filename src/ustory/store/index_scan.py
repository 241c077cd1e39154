"""Index scans over the stories of one status, in the order of a sort.

docs/reference/paging.md explains how a page is planned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    func,
    select,
    tuple_,
)

from ustory.store.tables import stories, story_keywords, story_sources
from ustory.store.tags import word_of

SORTS = {
    "heat": ("heat", "last_seen", "id"),
    "size": ("articles", "id"),
    "recent": ("last_seen", "id"),
    "new": ("first_seen", "id"),
}
"""The columns of each sort, all descending; each sort has an index."""
STATUSES = ("live", "expired", "merged")
SMALL_FILTER = 500
"""A filter that at most so many stories pass is read whole; others are checked row
by row during the scan."""


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

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses to list."""
        return ("live", "expired") if self.status is None else (self.status,)

    @property
    def tags(self) -> list[tuple[Table, str]]:
        """The wanted words, each with its table."""
        pairs = ((story_keywords, self.keyword), (story_sources, self.source))
        return [(table, word) for table, word in pairs if word is not None]


def columns_of(sort: str) -> list[Column[Any]]:
    """Return the columns of a sort."""
    return [stories.c[name] for name in SORTS[sort]]


def has_tag(story: ColumnElement[str], table: Table, word: str) -> ColumnElement[bool]:
    """Return the condition that a story has a word.

    A scalar subquery, because a planner may turn EXISTS into a join with all stories.
    """
    here = select(table.c.story).where(table.c.story == story, word_of(table) == word)
    return here.scalar_subquery().is_not(None)


class IndexScan:
    """A scan of one index over the stories of a status. Mutable until it is run.

    The index serves the sort and at most one filter; `filters` returns the others.
    """

    def __init__(self, query: StoryQuery, status: str) -> None:
        self._query = query
        # only live stories have heat: the others are sorted by when they were last seen
        self._without_heat = query.sort == "heat" and status != "live"
        self.sort_columns = SORTS["recent" if self._without_heat else query.sort]
        # the tables of words have no heat column
        tags = query.tags if self.sort_columns[0] != "heat" else []
        self.table, word = tags[0] if tags else (stories, None)
        self._other_tags = query.tags[1:] if tags else query.tags
        self.conditions = [self.table.c.status == status]
        if word is not None:
            self.conditions.append(word_of(self.table) == word)
        elif query.lang is not None:
            self.conditions.append(stories.c.lang == query.lang)
        self.conditions += self._bounds()
        self.is_empty = False

    @property
    def columns(self) -> Mapping[str, Column[Any]]:
        """The columns of the scanned table, by their names in `stories`."""
        here = {column.name: column for column in self.table.c}
        return here | ({} if "id" in here else {"id": here["story"]})

    @property
    def needed(self) -> tuple[str, ...]:
        """The names of the columns that the sort and the filters need."""
        since = () if self._query.since is None else ("last_seen",)
        until = () if self._query.until is None else ("first_seen",)
        return tuple(dict.fromkeys((*self.sort_columns, *since, *until)))

    def rows(self, names: tuple[str, ...]) -> Select[Any]:
        """Return the query for these columns, in the order of the sort."""
        chosen = select(*(self.columns[name].label(name) for name in names))
        order = (self.columns[name].desc() for name in self.sort_columns)
        return chosen.where(*self.conditions).order_by(*order)

    def key(self, row: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a row of the scan
        """Return the sort key of a row."""
        here = tuple(getattr(row, name) for name in self.sort_columns)
        return (0.0, *here) if self._without_heat else here

    def start_after(self, key: tuple[Any, ...]) -> None:
        """Start after a sort key."""
        if not self._without_heat:
            self.conditions.append(self._sort_key() < key)
        elif key[0] == 0:
            self.conditions.append(self._sort_key() < key[1:])
        else:
            self.is_empty |= key[0] < 0

    def stop_before(self, key: tuple[Any, ...]) -> None:
        """Stop before a sort key."""
        if not self._without_heat:
            self.conditions.append(self._sort_key() > key)
        elif key[0] == 0:
            self.conditions.append(self._sort_key() > key[1:])
        else:
            self.is_empty |= key[0] > 0

    def filters(self, near: FromClause | None = None) -> list[ColumnElement[bool]]:
        """Return the filters that the index does not serve, on columns of `near`."""
        columns = self.columns if near is None else near.c
        query, found = self._query, list[ColumnElement[bool]]()
        if query.since is not None and self.sort_columns[0] != "last_seen":
            found.append(columns["last_seen"] >= query.since)
        if query.until is not None and self.sort_columns[0] != "first_seen":
            found.append(columns["first_seen"] < query.until)
        if query.lang is not None and self.table is not stories:
            spoken = select(stories.c.lang).where(stories.c.id == columns["id"])
            found.append(spoken.scalar_subquery() == query.lang)
        found += [has_tag(columns["id"], *tag) for tag in self._other_tags]
        return found

    def _bounds(self) -> list[ColumnElement[bool]]:
        """Return the filter that limits the range of the index scan."""
        query = self._query
        if self.sort_columns[0] == "last_seen" and query.since is not None:
            return [self.columns["last_seen"] >= query.since]
        if self.sort_columns[0] == "first_seen" and query.until is not None:
            return [self.columns["first_seen"] < query.until]
        return []

    def _sort_key(self) -> ColumnElement[Any]:
        return tuple_(*(self.columns[name] for name in self.sort_columns))


def small_filter(
    connection: Connection, query: StoryQuery, status: str
) -> Select[Any] | None:
    """Return the ids that pass one of the filters, None if each passes many."""
    for scan in _filter_scans(query, status):
        some = scan.limit(SMALL_FILTER + 1).subquery()
        count = connection.execute(select(func.count()).select_from(some))
        if count.scalar_one() <= SMALL_FILTER:
            return scan
    return None


def _filter_scans(query: StoryQuery, status: str) -> list[Select[Any]]:
    """Return the index scan of each filter."""
    found: list[Select[Any]] = []
    for table, word in query.tags:
        # in the order of the index, or a planner may read the table instead
        here = select(table.c.story).where(
            word_of(table) == word, table.c.status == status
        )
        found.append(here.order_by(table.c.last_seen.desc()))
    ids = select(stories.c.id).where(stories.c.status == status)
    seen, begun = stories.c.last_seen, stories.c.first_seen
    if query.lang is not None:
        found.append(ids.where(stories.c.lang == query.lang).order_by(seen.desc()))
    if query.since is not None:
        found.append(ids.where(seen >= query.since).order_by(seen.desc()))
    if query.until is not None:
        found.append(ids.where(begun < query.until).order_by(begun))
    return found
