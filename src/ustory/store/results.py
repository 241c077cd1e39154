"""What a slide decided, written as one: decisions, placements, stories and events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, Table, bindparam, delete, select, update

from ustory.store.mapping import add, chunks, load_all, next_number, upsert, values
from ustory.store.rows import (
    DecisionRow,
    EventRow,
    Placement,
    StoryDay,
    StoryRow,
)
from ustory.store.schema import (
    articles,
    decisions,
    events,
    stories,
    story_days,
    story_keywords,
    story_sources,
)
from ustory.store.words import STORIES, Document


def write_decisions(connection: Connection, rows: Sequence[DecisionRow]) -> None:
    """Keep what was decided in a slide; every placement that changes needs one."""
    add(connection, decisions, [values(row) for row in rows])


def place_articles(connection: Connection, placements: Mapping[str, Placement]) -> None:
    """Say where articles are now, by id."""
    rows = [
        {
            "article_id": name,
            "new_story": place.story,
            "new_how": place.how,
            "new_confidence": place.confidence,
            "new_copy_of": place.copy_of,
        }
        for name, place in placements.items()
    ]
    if not rows:
        return
    connection.execute(
        update(articles)
        .where(articles.c.id == bindparam("article_id"))
        .values(
            story=bindparam("new_story"),
            how=bindparam("new_how"),
            confidence=bindparam("new_confidence"),
            copy_of=bindparam("new_copy_of"),
        ),
        rows,
    )


def write_stories(
    connection: Connection,
    rows: Sequence[StoryRow],
    days: Sequence[StoryDay] = (),
    keywords: Mapping[str, Collection[str]] | None = None,
    sources: Mapping[str, Collection[str]] | None = None,
) -> None:
    """Keep stories as they now stand, and their days.

    Stories are found by `keywords` (by default those of the row), which replace what
    was there; `sources` are added to, for a story never loses one.
    """
    old = _numbers(connection, [row.id for row in rows])
    numbers = {name: number for name, (number, _, _) in old.items()}
    following = next_number(connection, stories.c.number)
    for row in rows:
        if row.id not in numbers:
            numbers[row.id] = following
            following += 1
    _search_again(connection, rows, old, numbers)
    new = [{**values(row), "number": numbers[row.id]} for row in rows]
    upsert(connection, stories, new)
    upsert(connection, story_days, [values(day) for day in days])
    found = {row.id: row.keywords for row in rows} | dict(keywords or {})
    _tag(connection, story_keywords, found, replace=True)
    _tag(connection, story_sources, sources or {}, replace=False)


def write_events(connection: Connection, rows: Sequence[EventRow]) -> list[EventRow]:
    """Add lines to the ledger, numbered in their order; the ids given do not matter."""
    following = next_number(connection, events.c.id)
    numbered = [
        EventRow(**{**values(row), "id": following + place})
        for place, row in enumerate(rows)
    ]
    add(connection, events, [values(row) for row in numbered])
    return numbered


def decisions_of(connection: Connection, article_id: str) -> list[DecisionRow]:
    """Return every decision about an article, newest first."""
    query = select(decisions).where(decisions.c.article == article_id)
    return load_all(connection, query.order_by(decisions.c.slide.desc()), DecisionRow)


def decisions_of_slide(connection: Connection, slide: int) -> list[DecisionRow]:
    """Return what was decided in a slide, by article."""
    query = select(decisions).where(decisions.c.slide == slide)
    return load_all(connection, query.order_by(decisions.c.article), DecisionRow)


_Old = tuple[int, str, tuple[str, ...]]


def _numbers(connection: Connection, ids: Collection[str]) -> dict[str, _Old]:
    found: dict[str, _Old] = {}
    columns = (stories.c.id, stories.c.number, stories.c.headline, stories.c.keywords)
    for some in chunks(ids):
        query = select(*columns).where(stories.c.id.in_(some))
        for row in connection.execute(query):
            found[row.id] = (row.number, row.headline, tuple(row.keywords))
    return found


def _search_again(
    connection: Connection,
    rows: Sequence[StoryRow],
    old: Mapping[str, _Old],
    numbers: Mapping[str, int],
) -> None:
    changed = [
        row
        for row in rows
        if row.id not in old or old[row.id][1:] != (row.headline, row.keywords)
    ]
    gone = [story_document(*old[row.id]) for row in changed if row.id in old]
    STORIES.remove(connection, gone)
    come = [
        story_document(numbers[row.id], row.headline, row.keywords) for row in changed
    ]
    STORIES.add(connection, come)


def story_document(number: int, headline: str, keywords: Collection[str]) -> Document:
    """Return what the search holds of a story."""
    return Document(number, headline, "\n".join(keywords))


def _tag(
    connection: Connection,
    table: Table,
    tags: Mapping[str, Collection[str]],
    *,
    replace: bool,
) -> None:
    """Link stories with words, in the two columns of `table`."""
    story, word = table.c
    there: set[tuple[str, str]] = set()
    for some in chunks(tags):
        query = select(table).where(story.in_(some))
        there |= {(row[0], row[1]) for row in connection.execute(query)}
    wanted = {(name, one) for name, found in tags.items() for one in found}
    new = sorted(wanted - there)
    add(connection, table, [{story.name: a, word.name: b} for a, b in new])
    for name, one in sorted(there - wanted) if replace else ():
        connection.execute(delete(table).where(story == name, word == one))
