"""What slides decided: decisions, placements, stories and events, and corrections."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Connection, Row, bindparam, delete, func, select, update

from ustory.store.fulltext import STORIES, Document
from ustory.store.mapping import add, chunks, load_all, next_number, upsert, values
from ustory.store.search_rows import (
    note_articles,
    note_sources,
    note_stories,
    note_where,
)
from ustory.store.slides import slide_digest
from ustory.store.tables import (
    ArticleRow,
    DecisionRow,
    EventRow,
    StoryDay,
    StoryRow,
    articles,
    decisions,
    events,
    slides,
    stories,
    story_days,
    story_keywords,
    story_sources,
)
from ustory.store.tags import STANDING, restate, standing_of, tag


class Described(Protocol):
    """What the search knows a story by: a row of ours, or a database's."""

    @property
    def headline(self) -> str:
        """Its headline."""

    @property
    def keywords(self) -> Sequence[str]:
        """Its keywords."""

    @property
    def languages(self) -> Sequence[Mapping[str, Any]] | None:
        """Both in each of its languages."""


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
    """Set the story of articles, by article id."""
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
    note_articles(connection, placements)


def write_stories(
    connection: Connection,
    rows: Sequence[StoryRow],
    days: Sequence[StoryDay] = (),
    keywords: Mapping[str, Collection[str]] | None = None,
    sources: Mapping[str, Collection[str]] | None = None,
) -> None:
    """Keep stories as they now stand, and their days.

    Stories are found by `keywords` (by default all of the row), which replace what
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
    found: dict[str, Collection[str]] = {row.id: all_keywords(row) for row in rows}
    found |= dict(keywords or {})
    tag(connection, story_keywords, found, replace=True)
    tag(connection, story_sources, sources or {}, replace=False)
    note_stories(connection, rows, numbers)
    note_sources(connection, sources or {})
    for some in chunks(row.id for row in rows if row.id not in old):
        note_where(connection, articles.c.story.in_(some))


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
    names = ("id", "number", "headline", "keywords", "languages", *STANDING)
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
    before = {name: story_document(row.number, row) for name, row in old.items()}
    now = {row.id: story_document(numbers[row.id], row) for row in rows}
    changed = [name for name in now if now[name] != before.get(name)]
    STORIES.remove(connection, [before[name] for name in changed if name in before])
    STORIES.add(connection, [now[name] for name in changed])


def story_document(number: int, row: Described) -> Document:
    """Return what the search holds of a story: it is found by all of its languages."""
    others = (each["headline"] for each in row.languages or ())
    headlines = dict.fromkeys([row.headline, *others])
    return Document(
        number, "\n".join(filter(None, headlines)), "\n".join(all_keywords(row))
    )


def all_keywords(row: Described) -> list[str]:
    """Return the keywords of a story in all of its languages."""
    others = (word for each in row.languages or () for word in each["keywords"])
    return list(dict.fromkeys([*row.keywords, *others]))


def events_after(
    connection: Connection,
    after: int,
    limit: int = 100,
    story: str | None = None,
    kinds: Collection[str] | None = None,
) -> list[EventRow]:
    """Return the next events after an id, oldest first."""
    query = select(events).where(events.c.id > after)
    query = query.order_by(events.c.id).limit(limit)
    if story is not None:
        query = query.where(events.c.story == story)
    if kinds is None:
        return load_all(connection, query, EventRow)
    # one walk for each kind: a rare one is not looked for among all the others
    walks = (query.where(events.c.kind == kind) for kind in sorted(set(kinds)))
    found = [row for walk in walks for row in load_all(connection, walk, EventRow)]
    return sorted(found, key=lambda row: row.id)[:limit]


def events_of_story(
    connection: Connection, story: str, limit: int = 100, before: int | None = None
) -> list[EventRow]:
    """Return the newest events of a story (below `before`), newest first."""
    query = select(events).where(events.c.story == story)
    if before is not None:
        query = query.where(events.c.id < before)
    ordered = query.order_by(events.c.id.desc()).limit(limit)
    return load_all(connection, ordered, EventRow)


def last_event(connection: Connection) -> int:
    """Return the id of the newest event, 0 before the first."""
    return connection.execute(select(func.max(events.c.id))).scalar_one() or 0


def events_of_slide(connection: Connection, slide: int) -> list[EventRow]:
    """Return the events of stories in a slide, in order."""
    query = select(events).where(events.c.slide == slide, events.c.story != "")
    return load_all(connection, query.order_by(events.c.id), EventRow)


def newest_events_except(
    connection: Connection, story: str, kind: str, limit: int
) -> list[EventRow]:
    """Return the newest events of a story that are not of a kind, newest first."""
    query = select(events).where(events.c.story == story, events.c.kind != kind)
    ordered = query.order_by(events.c.id.desc()).limit(limit)
    return load_all(connection, ordered, EventRow)


def events_of_kind(
    connection: Connection, names: Collection[str], kind: str
) -> list[EventRow]:
    """Return all events of a kind of some stories."""
    query = select(events).where(events.c.story.in_(names), events.c.kind == kind)
    return load_all(connection, query, EventRow)


def places_of(connection: Connection, slides_after: int = 0) -> dict[str, str | None]:
    """Return the story of each article of the slides that are done behind one."""
    query = select(articles.c.id, articles.c.story).where(
        articles.c.slide > slides_after, articles.c.waiting.is_(False)
    )
    found = connection.execute(query, execution_options={"yield_per": 10_000})
    return {row.id: row.story for row in found}


def newest_decisions(
    connection: Connection, ids: Collection[str]
) -> dict[str, DecisionRow]:
    """Return the newest decision about each of some articles."""
    found: dict[str, DecisionRow] = {}
    for some in chunks(ids):
        query = select(decisions).where(decisions.c.article.in_(some))
        rows = load_all(connection, query.order_by(decisions.c.slide), DecisionRow)
        found |= {row.article: row for row in rows}
    return found


def decide_again(connection: Connection, rows: Sequence[DecisionRow]) -> None:
    """Put articles where corrected decisions say; each replaces one of its slide."""
    upsert(connection, decisions, [values(row) for row in rows])
    place_articles(
        connection,
        {
            row.article: Placement(
                story=row.story,
                how=str(row.record.get("how", "")),
                confidence=float(row.record.get("confidence") or 0.0),
                copy_of=row.record.get("copy_of"),
            )
            for row in rows
        },
    )


def articles_of(
    connection: Connection, stories: Collection[str]
) -> dict[str, list[ArticleRow]]:
    """Return all articles of some stories, by intake number."""
    found: dict[str, list[ArticleRow]] = {story: [] for story in stories}
    for some in chunks(stories):
        query = select(articles).where(articles.c.story.in_(some))
        for row in load_all(connection, query.order_by(articles.c.seq), ArticleRow):
            assert row.story is not None
            found[row.story].append(row)
    return found


def count_languages(
    connection: Connection, names: Collection[str]
) -> dict[str, dict[str | None, int]]:
    """Return how many articles of some stories are in each language; None is unknown.

    Only an index is read.
    """
    found: dict[str, dict[str | None, int]] = {name: {} for name in names}
    here = (articles.c.story, articles.c.lang)
    for some in chunks(names):
        query = select(*here, func.count()).where(articles.c.story.in_(some))
        for story, lang, count in connection.execute(query.group_by(*here)):
            found[story][lang] = int(count)
    return found


def days_of(
    connection: Connection, stories: Collection[str]
) -> dict[tuple[str, int], StoryDay]:
    """Return what is known of all days of some stories."""
    found: dict[tuple[str, int], StoryDay] = {}
    for some in chunks(stories):
        query = select(story_days).where(story_days.c.story.in_(some))
        rows = load_all(connection, query, StoryDay)
        found |= {(row.story, row.day): row for row in rows}
    return found


def forget_days(connection: Connection, days: Iterable[tuple[str, int]]) -> None:
    """Delete days on which a story has no article any more."""
    for story, day in days:
        here = (story_days.c.story == story) & (story_days.c.day == day)
        connection.execute(delete(story_days).where(here))


def forget_sources(connection: Connection, left: Mapping[str, Collection[str]]) -> None:
    """Delete sources of stories that none of their articles has any more."""
    for story, sources in left.items():
        here = story_sources.c.story == story
        gone = here & story_sources.c.source.not_in(sorted(sources))
        connection.execute(delete(story_sources).where(gone))
    note_sources(connection, left)


def forget_parts(connection: Connection, story: str) -> None:
    """Delete the days and sources of a story, before they are written again."""
    for table in (story_days, story_sources):
        connection.execute(delete(table).where(table.c.story == story))
    note_sources(connection, [story])


def restate_slide(connection: Connection, number: int) -> None:
    """Compute the digest of a slide again, after its decisions or events changed."""
    digest = slide_digest(connection, number)
    here = slides.c.number == number
    connection.execute(update(slides).where(here).values(digest=digest))
