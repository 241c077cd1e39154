"""Keeps what a search needs in step with the tables: index, words, names and facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Select,
    select,
    type_coerce,
)

from ustory.core.spans import EPOCH, microseconds
from ustory.store.facts import (
    ARTICLE_FACTS,
    LANGS,
    SOURCES,
    STATUS_NUMBERS,
    STORY_FACTS,
    write_facts,
    write_pairs,
)
from ustory.store.fulltext import ARTICLES, Document
from ustory.store.mapping import chunks
from ustory.store.tables import StoryRow, articles, stories, story_sources
from ustory.store.vocabulary import (
    LANG,
    SOURCE,
    add_words,
    forget_names,
    numbers_of,
    remove_words,
)


def index_articles(connection: Connection, documents: Sequence[Document]) -> None:
    """Let articles be found by their words."""
    ARTICLES.add(connection, documents)
    add_words(connection, documents)


def unindex_articles(connection: Connection, documents: Sequence[Document]) -> None:
    """Let articles be found no more; they must be as they were added."""
    ARTICLES.remove(connection, documents)
    remove_words(connection, documents)


def note_articles(connection: Connection, ids: Collection[str]) -> None:
    """Write the facts of some articles as the tables have them."""
    for some in chunks(ids):
        note_where(connection, articles.c.id.in_(some))


def note_where(connection: Connection, where: ColumnElement[bool]) -> None:
    """Write the facts of the articles that meet a condition."""
    query = article_facts_query().where(where)
    write_article_facts(connection, connection.execute(query).all())


def article_facts_query() -> Select[Any]:
    """Return the query for what facts about articles are made of."""
    return select(
        articles.c.seq,
        stories.c.number,
        articles.c.source,
        articles.c.lang,
        plain_number(articles.c.published_at),
    ).join(stories, stories.c.id == articles.c.story, isouter=True)


def write_article_facts(connection: Connection, rows: Sequence[Any]) -> None:
    """Write facts from rows of seq, number of the story, source, lang and date."""
    if not rows:
        return
    sources = _numbered(connection, SOURCE, (row[2] for row in rows))
    langs = _numbered(connection, LANG, (row[3] for row in rows))
    facts = [
        (1, row[1] or 0, sources.get(row[2], 0), langs.get(row[3], 0), row[4])
        for row in rows
    ]
    packed = np.array(facts, dtype=ARTICLE_FACTS.fields)
    write_facts(connection, ARTICLE_FACTS, [row[0] for row in rows], packed)


def forget_article_facts(connection: Connection, numbers: Sequence[int]) -> None:
    """Take the facts of articles away, by their intake numbers."""
    none = np.zeros(len(numbers), dtype=ARTICLE_FACTS.fields)
    write_facts(connection, ARTICLE_FACTS, numbers, none)


def forget_unused_sources(connection: Connection, sources: Collection[str]) -> None:
    """Forget the names of outlets of which no article and no story is left."""
    used: set[str] = set()
    for some in chunks(sorted(sources)):
        for column in (articles.c.source, story_sources.c.source):
            query = select(column).where(column.in_(some)).distinct()
            used |= set(connection.execute(query).scalars())
    forget_names(connection, SOURCE, set(sources) - used)


def note_stories(
    connection: Connection, rows: Sequence[StoryRow], numbers: dict[str, int]
) -> None:
    """Write the facts of stories, whose numbers are given."""
    if not rows:
        return
    told = {numbers[row.id]: languages_of(row) for row in rows}
    langs = _numbered(connection, LANG, {tag for some in told.values() for tag in some})
    facts = [
        (
            STATUS_NUMBERS[row.status],
            langs.get(row.lang, 0),
            row.articles,
            microseconds(row.first_seen - EPOCH),
            microseconds(row.last_seen - EPOCH),
            row.heat if row.status == "live" else 0.0,
        )
        for row in rows
    ]
    packed = np.array(facts, dtype=STORY_FACTS.fields)
    write_facts(connection, STORY_FACTS, [numbers[row.id] for row in rows], packed)
    pairs = {story: [langs[tag] for tag in some] for story, some in told.items()}
    write_pairs(connection, LANGS, pairs)


def languages_of(row: StoryRow) -> list[str]:
    """Return the tags of all languages that a story is found by."""
    tags = [row.lang, *(each.lang for each in row.in_languages)]
    return sorted({tag for tag in tags if tag})


def note_sources(connection: Connection, ids: Collection[str]) -> None:
    """Write which sources some stories have, as the tables have them."""
    for some in chunks(sorted(ids)):
        query = select(stories.c.number, story_sources.c.source)
        query = query.join(
            story_sources, story_sources.c.story == stories.c.id, isouter=True
        )
        rows = connection.execute(query.where(stories.c.id.in_(some))).all()
        sources = _numbered(connection, SOURCE, (row[1] for row in rows))
        found: dict[int, list[int]] = {int(row[0]): [] for row in rows}
        for number, source in rows:
            if source is not None:
                found[int(number)].append(sources[source])
        write_pairs(connection, SOURCES, found)


def forget_story_facts(connection: Connection, numbers: Sequence[int]) -> None:
    """Take the facts of stories away."""
    none = np.zeros(len(numbers), dtype=STORY_FACTS.fields)
    write_facts(connection, STORY_FACTS, numbers, none)
    for kind in (SOURCES, LANGS):
        write_pairs(connection, kind, dict.fromkeys(numbers, ()))


def _numbered(
    connection: Connection, kind: str, found: Iterable[str | None]
) -> dict[str | None, int]:
    wanted = {name for name in found if name is not None}
    known = numbers_of(connection, kind, wanted, make=True)
    return {name: known[name] for name in wanted}


def plain_number(column: Column[Any]) -> Any:  # noqa: ANN401 - SQLAlchemy's own
    """Return a column of times as the plain numbers that the database holds."""
    return type_coerce(column, BigInteger)
