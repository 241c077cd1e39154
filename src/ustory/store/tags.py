"""The words that stories are found by, with the columns that lists are sorted by."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Table, bindparam, delete, select, update

from ustory.store.mapping import add, chunks
from ustory.store.tables import StoryRow, stories, story_keywords, story_sources

TAGS = (story_keywords, story_sources)
STANDING = ("status", "first_seen", "last_seen", "articles")
"""The columns of a story that the tables of words repeat, to sort by them."""


def word_of(table: Table) -> Column[Any]:
    """Return the column of a table of words that holds the word."""
    _, word = table.primary_key
    return word


def standing_of(row: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a row of ours or a database's
    """Return the values of a story that the tables of words repeat."""
    return tuple(getattr(row, name) for name in STANDING)


def restate(connection: Connection, rows: Sequence[StoryRow]) -> None:
    """Update the sorted columns beside each word of some stories."""
    changed = [
        {"story_id": row.id, **{f"new_{name}": getattr(row, name) for name in STANDING}}
        for row in rows
    ]
    if not changed:
        return
    new: dict[str, Any] = {name: bindparam(f"new_{name}") for name in STANDING}
    for table in TAGS:
        here = table.c.story == bindparam("story_id")
        connection.execute(update(table).where(here).values(**new), changed)


def tag(
    connection: Connection,
    table: Table,
    tags: Mapping[str, Collection[str]],
    *,
    replace: bool,
) -> None:
    """Link stories that are there with words; `replace` takes others away."""
    story, word = table.c.story, word_of(table)
    there: set[tuple[str, str]] = set()
    for some in chunks(tags):
        query = select(story, word).where(story.in_(some))
        there |= {(row[0], row[1]) for row in connection.execute(query)}
    wanted = {(name, one) for name, found in tags.items() for one in found}
    new = sorted(wanted - there)
    standing = _standing(connection, {name for name, _ in new})
    add(
        connection,
        table,
        [{"story": name, word.name: one, **standing[name]} for name, one in new],
    )
    for name, one in sorted(there - wanted) if replace else ():
        connection.execute(delete(table).where(story == name, word == one))


def _standing(
    connection: Connection, ids: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for some in chunks(ids):
        query = select(stories.c.id, *(stories.c[name] for name in STANDING))
        for row in connection.execute(query.where(stories.c.id.in_(some))):
            found[row.id] = dict(zip(STANDING, standing_of(row), strict=True))
    return found
