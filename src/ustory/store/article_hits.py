"""Articles that a search finds, page by page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, Double, select

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, microseconds
from ustory.store.best import as_it_stands, count_before, first_by
from ustory.store.columns import Number
from ustory.store.mapping import (
    RowPage,
    chunks,
    decode_cursor,
    encode_cursor,
    load_all,
)
from ustory.store.query import RELEVANCE, Selection, StoryQuery, story_numbers
from ustory.store.search import Mask, Search, among, meant_numbers
from ustory.store.tables import ArticleRow, articles
from ustory.store.vocabulary import LANG, SOURCE

NEWEST = "newest"
"""By when they came in."""
_STORY_FILTERS = ("status", "size", "keyword")
"""Filters that are about the story of an article."""


def search_articles(
    connection: Connection,
    text: str,
    limit: int = 20,
    cursor: str | None = None,
    sort: str = NEWEST,
) -> RowPage[ArticleRow]:
    """Return a page of the articles that a text finds, and how many there are.

    The newest first, as they came in, or the most relevant. See `parse_query` for
    what may be asked.
    """
    search = Search.of(connection, text)
    query = StoryQuery(text=text, limit=max(limit, 1), cursor=cursor)
    if limit < 1:
        raise ConfigError(f"a page holds at least one article; got a limit of {limit}")
    return list_articles(connection, query, search, sort)


def list_articles(
    connection: Connection,
    query: StoryQuery,
    search: Search,
    sort: str = RELEVANCE,
    stories: Selection | None = None,
) -> RowPage[ArticleRow]:
    """Return a page of the articles of a search that pass the filters of a query.

    Filters on status, size and keyword are about an article's story: with any of
    them, only articles in one of the `stories` that pass are listed.
    """
    kept = np.flatnonzero(passing_articles(connection, query, search, stories))
    numbers = search.articles[kept]
    keys: list[Any] = [numbers]
    if sort == RELEVANCE:
        published = search.article_facts["published"][kept]
        keys = [search.article_scores[kept], published, numbers]
    after = None
    if query.cursor is not None:
        columns: list[Column[Any]] = [Column("seq", Number)]
        if sort == RELEVANCE:
            columns = [Column("score", Double()), Column("published", Number), *columns]
        after = decode_cursor(query.cursor, f"search-{sort}", columns)
        after = as_it_stands(keys, after)
    places = first_by(keys, query.limit + 1, after)
    rows = articles_by_number(connection, numbers[places[: query.limit]].tolist())
    following = None
    if len(places) > query.limit:
        last = places[query.limit - 1]
        following = encode_cursor((f"search-{sort}", *(k[last].item() for k in keys)))
    before = count_before(keys, after)
    return RowPage(rows, following, total=len(kept), before=before)


def articles_by_number(
    connection: Connection, numbers: Sequence[int]
) -> list[ArticleRow]:
    """Return articles in the order of these intake numbers."""
    found: dict[int, ArticleRow] = {}
    for some in chunks(numbers):
        query = select(articles).where(articles.c.seq.in_(some))
        found |= {row.seq: row for row in load_all(connection, query, ArticleRow)}
    return [found[number] for number in numbers if number in found]


def best_articles(search: Search, stories: Sequence[int]) -> dict[int, int]:
    """Return the most relevant article of each of some stories, the newest of many.

    Both by number; a story that was found by its headline alone has none.
    """
    found: dict[int, int] = {}
    of_story = search.article_facts["story"]
    wanted = np.flatnonzero(among(of_story.astype(np.int64), np.array(stories, int)))
    own = of_story[wanted]
    for story in stories:
        here = wanted[own == story]
        if len(here):
            published = search.article_facts["published"][here]
            keys = [search.article_scores[here], published, search.articles[here]]
            found[story] = int(search.articles[here[first_by(keys, 1)[0]]])
    return found


def found_stories(
    connection: Connection, text: str, among_ids: Collection[str]
) -> dict[str, str | None]:
    """Return the stories that a search finds among some, each with its best article.

    Both by id; a story that was found by its headline alone has no article.
    """
    search = Search.of(connection, text)
    numbers = story_numbers(connection, sorted(among_ids))
    there = set(search.stories.tolist())
    found = {name: n for name, n in numbers.items() if n in there}
    best = best_articles(search, list(found.values()))
    rows = {row.seq: row.id for row in articles_by_number(connection, [*best.values()])}
    return {name: rows.get(best.get(found[name], 0)) for name in sorted(found)}


def passing_articles(
    connection: Connection,
    query: StoryQuery,
    search: Search,
    stories: Selection | None,
) -> Mask:
    """Return which articles of a search pass the filters of a query."""
    facts = search.article_facts
    kept: Mask = np.ones(len(facts), dtype=bool)
    for name, wanted in ((SOURCE, query.source), (LANG, query.lang)):
        if wanted is not None:
            kept &= np.isin(facts[name], meant_numbers(connection, name, wanted))
    if query.since is not None:
        kept &= facts["published"] >= microseconds(query.since - EPOCH)
    if query.until is not None:
        kept &= facts["published"] < microseconds(query.until - EPOCH)
    if stories is not None and any(getattr(query, name) for name in _STORY_FILTERS):
        numbers = stories.numbers[stories.passing()]
        kept &= among(facts["story"].astype(np.int64), numbers)
    return kept
