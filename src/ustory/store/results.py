"""What a slide decided, written as one: decisions, placements, stories and events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, update

from ustory.store.fulltext import STORIES, Document
from ustory.store.mapping import add, chunks, load_all, next_number, upsert, values
from ustory.store.tables import (
    DecisionRow,
    EventRow,
    StoryDay,
    StoryRow,
    articles,
    decisions,
    events,
    stories,
    story_days,
    story_keywords,
    story_sources,
)
from ustory.store.tags import STANDING, restate, standing_of, tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where an article is now."""

    story: str | None
    how: str
    confidence: float = 0.0
    copy_of: str | None = None


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
    was there; `sources` are added to, for a story never loses one. Only a live story
    has heat: the others are kept with none.
    """
    old = _known(connection, [row.id for row in rows])
    numbers = {name: row.number for name, row in old.items()}
    following = next_number(connection, stories.c.number)
    for row in rows:
        if row.id not in numbers:
            numbers[row.id] = following
            following += 1
    _search_again(connection, rows, old, numbers)
    new = [{**values(row), "number": numbers[row.id]} for row in rows]
    for one in new:
        one["heat"] = one["heat"] if one["status"] == "live" else 0.0
    upsert(connection, stories, new)
    upsert(connection, story_days, [values(day) for day in days])
    moved = [r for r in rows if r.id in old and _is_other(r, old[r.id])]
    restate(connection, moved)
    found = {row.id: row.keywords for row in rows} | dict(keywords or {})
    tag(connection, story_keywords, found, replace=True)
    tag(connection, story_sources, sources or {}, replace=False)


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


def _known(connection: Connection, ids: Collection[str]) -> dict[str, Row[Any]]:
    found: dict[str, Row[Any]] = {}
    names = ("id", "number", "headline", "keywords", *STANDING)
    for some in chunks(ids):
        query = select(*(stories.c[name] for name in names))
        rows = connection.execute(query.where(stories.c.id.in_(some)))
        found |= {row.id: row for row in rows}
    return found


def _is_other(row: StoryRow, old: Row[Any]) -> bool:
    return standing_of(row) != standing_of(old)


def _search_again(
    connection: Connection,
    rows: Sequence[StoryRow],
    old: Mapping[str, Row[Any]],
    numbers: Mapping[str, int],
) -> None:
    before = {
        name: story_document(row.number, row.headline, row.keywords)
        for name, row in old.items()
    }
    now = {
        row.id: story_document(numbers[row.id], row.headline, row.keywords)
        for row in rows
    }
    changed = [name for name in now if now[name] != before.get(name)]
    STORIES.remove(connection, [before[name] for name in changed if name in before])
    STORIES.add(connection, [now[name] for name in changed])


def story_document(number: int, headline: str, keywords: Collection[str]) -> Document:
    """Return what the search holds of a story."""
    return Document(number, headline, "\n".join(keywords))
