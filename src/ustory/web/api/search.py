"""Search: stories and articles by their words, and what one may be about to type."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from ustory.store.suggestions import suggest
from ustory.web.access import Served
from ustory.web.api.stories import StoryFilter
from ustory.web.models.search import SearchOut, SuggestionOut, SuggestionsOut
from ustory.web.models.shared import Line
from ustory.web.models.stories import Sort
from ustory.web.openapi_answers import answers
from ustory.web.search_reader import SearchReader

router = APIRouter(prefix="/api", tags=["search"])


class SearchFilter(StoryFilter):
    """What to search for, and which of the results."""

    q: Line = Field(
        description='Words, all of which must be there; `"in quotes"` side by side, '
        "`begin*`, `-without`, `this OR that`, `source:`, `lang:`, `after:2024-03-01`, "
        "`before:`.",
        examples=["kestrel earthquake"],
    )
    sort: Sort = "relevance"
    articles: Annotated[int, Field(ge=1, le=200)] = 20
    """Articles on a page."""
    articles_cursor: Annotated[
        str | None, Field(pattern="^[A-Za-z0-9_-]+$", max_length=1_000)
    ] = None


@router.get("/search", responses=answers(SearchOut, 400, 404))
def search(service: Served, wanted: Annotated[SearchFilter, Query()]) -> SearchOut:
    """Search stories and articles, the most relevant first, with true totals.

    Of stories and of articles there are pages: give `next` of each as `cursor` and
    `articles_cursor`. Facets say how many stories each filter would leave.
    """
    with service.store.read() as connection:
        reader = SearchReader(connection, wanted.q, service.clock(), wanted.languages)
        return reader.answer(wanted.query(), wanted.articles, wanted.articles_cursor)


@router.get("/suggest", responses=answers(SuggestionsOut))
def suggestions(
    service: Served,
    q: Annotated[Line, Query(description="What was typed so far.", examples=["eart"])],
    limit: Annotated[int, Query(ge=1, le=20)] = 8,
) -> SuggestionsOut:
    """Say how what was typed may go on: words of titles, keywords and outlets."""
    with service.store.read() as connection:
        found = suggest(connection, q, limit)
    return SuggestionsOut(
        suggestions=[SuggestionOut(text=each.text, kind=each.kind) for each in found]
    )
