"""Ways through the stories of one status, in the order of a sort, along an index."""

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
"""What each sort goes by, the highest first; every one has an index."""
STATUSES = ("live", "expired", "merged")
FEW = 500
"""A filter that so few stories pass is read whole; others are checked on the way."""


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
        """The statuses that are asked for."""
        return ("live", "expired") if self.status is None else (self.status,)

    @property
    def tags(self) -> list[tuple[Table, str]]:
        """The words that are asked for, each with the table it is in."""
        pairs = ((story_keywords, self.keyword), (story_sources, self.source))
        return [(table, word) for table, word in pairs if word is not None]


def columns_of(sort: str) -> list[Column[Any]]:
    """Return the columns a sort goes by."""
    return [stories.c[name] for name in SORTS[sort]]


def has_tag(story: ColumnElement[str], table: Table, word: str) -> ColumnElement[bool]:
    """Return whether a story has a word.

    Asked of each story alone: of EXISTS a planner may make a join with all of them.
    """
    here = select(table.c.story).where(table.c.story == story, word_of(table) == word)
    return here.scalar_subquery().is_not(None)


class Trail:
    """The way through the stories of a status; filters may be left for the way."""

    def __init__(self, query: StoryQuery, status: str) -> None:
        self._query = query
        # only what is live has heat: the others are in the order they were last seen
        self._cold = query.sort == "heat" and status != "live"
        self.names = SORTS["recent" if self._cold else query.sort]
        # the tables of words do not know the heat
        tags = query.tags if self.names[0] != "heat" else []
        self.table, word = tags[0] if tags else (stories, None)
        self._left = query.tags[1:] if tags else query.tags
        self.conditions = [self.table.c.status == status]
        if word is not None:
            self.conditions.append(word_of(self.table) == word)
        elif query.lang is not None:
            self.conditions.append(stories.c.lang == query.lang)
        self.conditions += self._bounds()
        self.is_empty = False

    @property
    def columns(self) -> Mapping[str, Column[Any]]:
        """The columns of the way, by their names in the table of stories."""
        here = {column.name: column for column in self.table.c}
        return here | ({} if "id" in here else {"id": here["story"]})

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The names of the columns that order and filters need."""
        since = () if self._query.since is None else ("last_seen",)
        until = () if self._query.until is None else ("first_seen",)
        return tuple(dict.fromkeys((*self.names, *since, *until)))

    def way(self, names: tuple[str, ...]) -> Select[Any]:
        """Return the stories on the way, in order: these columns of each."""
        chosen = select(*(self.columns[name].label(name) for name in names))
        order = (self.columns[name].desc() for name in self.names)
        return chosen.where(*self.conditions).order_by(*order)

    def key(self, row: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a row of the way
        """Return where something on the way is in the sort."""
        here = tuple(getattr(row, name) for name in self.names)
        return (0.0, *here) if self._cold else here

    def below(self, key: tuple[Any, ...]) -> None:
        """Begin behind a place in the sort."""
        if not self._cold:
            self.conditions.append(self._place() < key)
        elif key[0] == 0:
            self.conditions.append(self._place() < key[1:])
        else:
            self.is_empty |= key[0] < 0

    def above(self, key: tuple[Any, ...]) -> None:
        """End before a place in the sort."""
        if not self._cold:
            self.conditions.append(self._place() > key)
        elif key[0] == 0:
            self.conditions.append(self._place() > key[1:])
        else:
            self.is_empty |= key[0] > 0

    def filters(self, near: FromClause | None = None) -> list[ColumnElement[bool]]:
        """Return what is left to be checked on the way (of its columns in `near`)."""
        columns = self.columns if near is None else near.c
        query, found = self._query, list[ColumnElement[bool]]()
        if query.since is not None and self.names[0] != "last_seen":
            found.append(columns["last_seen"] >= query.since)
        if query.until is not None and self.names[0] != "first_seen":
            found.append(columns["first_seen"] < query.until)
        if query.lang is not None and self.table is not stories:
            spoken = select(stories.c.lang).where(stories.c.id == columns["id"])
            found.append(spoken.scalar_subquery() == query.lang)
        found += [has_tag(columns["id"], *tag) for tag in self._left]
        return found

    def _bounds(self) -> list[ColumnElement[bool]]:
        """Return the filter that ends, or begins, the walk along the index."""
        query = self._query
        if self.names[0] == "last_seen" and query.since is not None:
            return [self.columns["last_seen"] >= query.since]
        if self.names[0] == "first_seen" and query.until is not None:
            return [self.columns["first_seen"] < query.until]
        return []

    def _place(self) -> ColumnElement[Any]:
        return tuple_(*(self.columns[name] for name in self.names))


def few(connection: Connection, query: StoryQuery, status: str) -> Select[Any] | None:
    """Return what finds the ids that pass one of the filters, None if all are many."""
    for driver in _drivers(query, status):
        some = driver.limit(FEW + 1).subquery()
        count = connection.execute(select(func.count()).select_from(some))
        if count.scalar_one() <= FEW:
            return driver
    return None


def _drivers(query: StoryQuery, status: str) -> list[Select[Any]]:
    """Return, for each filter, the walk along an index that finds what passes it."""
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
