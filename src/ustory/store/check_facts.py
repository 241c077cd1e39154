"""Checks that the facts a search counts by are those of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, func, select

from ustory.store.facts import (
    ARTICLE_FACTS,
    LANGS,
    SOURCES,
    STATUS_NUMBERS,
    STORY_FACTS,
    FactKind,
    Facts,
    story_pairs,
)
from ustory.store.mapping import all_pages, load
from ustory.store.search_rows import article_facts_query, languages_of, plain_number
from ustory.store.tables import StoryRow, articles, stories
from ustory.store.tables import story_sources as source_table
from ustory.store.vocabulary import LANG, SOURCE, all_names

_STORIES = select(
    stories.c.number,
    stories.c.status,
    stories.c.lang,
    stories.c.articles,
    plain_number(stories.c.first_seen),
    plain_number(stories.c.last_seen),
    stories.c.heat,
)


def wrong_facts(connection: Connection) -> Iterator[str]:
    """Yield in words where the facts are not what the tables say."""
    names = {
        kind: {name: n for n, name in all_names(connection, kind).items()}
        for kind in (SOURCE, LANG)
    }

    def of_article(row: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a row of the query
        source, lang = names[SOURCE].get(row[2], -1), names[LANG].get(row[3], -1)
        return (
            1,
            row[1] or 0,
            source if row[2] is not None else 0,
            lang if row[3] is not None else 0,
            row[4],
        )

    def of_story(row: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a row of the query
        lang = names[LANG].get(row[2], -1) if row[2] is not None else 0
        return (STATUS_NUMBERS[row[1]], lang, *row[3:])

    for kind, query, read, key in (
        (ARTICLE_FACTS, article_facts_query(), of_article, articles.c.seq),
        (STORY_FACTS, _STORIES, of_story, stories.c.number),
    ):
        count = _differing(connection, kind, query, (read, key))
        if count:
            yield f"the search has other facts than the tables: {count} {kind.name}"
    pairs = select(func.count()).select_from(source_table)
    if connection.execute(pairs).scalar_one() != len(story_pairs(connection, SOURCES)):
        yield "the search counts other sources of stories than the tables"
    if _told(connection, names[LANG]) != _pairs(connection, LANGS):
        yield "the search counts other languages of stories than the tables"


def _told(connection: Connection, names: Mapping[str, int]) -> set[tuple[int, int]]:
    """Return the languages of all stories, by their numbers."""
    found: set[tuple[int, int]] = set()
    for page in all_pages(connection, select(stories), [stories.c.number]):
        for row in page:
            tags = languages_of(load(StoryRow, row._mapping))
            found |= {(int(row.number), names.get(tag, -1)) for tag in tags}
    return found


def _pairs(connection: Connection, kind: str) -> set[tuple[int, int]]:
    return {(int(one), int(two)) for one, two in story_pairs(connection, kind)}


def _differing(
    connection: Connection, kind: FactKind, query: Select[Any], how: tuple[Any, Any]
) -> int:
    """Return how many rows differ, and how many facts have no row."""
    read, key = how
    facts = Facts(connection, kind)
    wrong = seen = 0
    for page in all_pages(connection, query, [key]):
        expected = np.array([read(row) for row in page], dtype=kind.fields)
        numbers = np.array([row[0] for row in page], dtype=np.int64)
        found = facts.of(numbers)
        unlike = np.zeros(len(page), dtype=bool)
        for name in kind.fields.names or ():
            unlike |= expected[name] != found[name]
        wrong += int(np.count_nonzero(unlike))
        seen += len(page)
    first, *_ = kind.fields.names or ("",)
    there = int(np.count_nonzero(facts.whole()[first]))
    return wrong + abs(there - seen)
