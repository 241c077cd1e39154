"""The rows of an export that a list or a search shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sqlalchemy import Connection

from ustory.store.article_hits import passing_articles
from ustory.store.facts import ARTICLE_FACTS, Facts
from ustory.store.query import Selection, StoryQuery
from ustory.store.search import Search
from ustory.store.search_query import Query


def view_numbers(connection: Connection, what: str, query: StoryQuery) -> list[int]:
    """Return the numbers of what a query shows: of stories, or of articles.

    Filters mean what they mean in the list; articles without a text to search for
    are all articles that pass.
    """
    if what == "stories":
        chosen = Selection.of(connection, query)
        return [int(n) for n in chosen.numbers[chosen.passing()]]
    if query.text is not None:
        search = Search.of(connection, query.text)
    else:
        search = _everything(connection)
    chosen = Selection.of(connection, replace(query, text=None))
    kept = passing_articles(connection, query, search, chosen)
    return [int(n) for n in search.articles[kept]]


def _everything(connection: Connection) -> Search:
    """Return all articles as if a search had found them."""
    facts = Facts(connection, ARTICLE_FACTS).whole()
    facts = facts.where(facts["there"] > 0)
    none = np.zeros(0, dtype=np.int64)
    return Search(
        query=Query(),
        corrected=None,
        articles=facts.numbers,
        article_scores=np.zeros(len(facts)),
        article_facts=facts,
        stories=none,
        story_scores=np.zeros(0),
    )
