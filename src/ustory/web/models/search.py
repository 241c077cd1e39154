"""What a search finds, as it goes out."""

from __future__ import annotations

from pydantic import Field

from ustory.web.models.shared import Shape
from ustory.web.models.stories import ArticleOut, StoryOut


class SnippetPart(Shape):
    """A piece of a sentence."""

    text: str = Field(examples=["Strong "])
    marked: bool = Field(examples=[False])
    """Whether it is one of the words that were searched for."""


class StoryHit(Shape):
    """A story that was found."""

    story: StoryOut
    score: float = Field(examples=[4.2])
    """Its worth by the formula of the documentation."""
    article: ArticleOut | None
    """Its most relevant article; null if its headline alone was found."""
    snippet: list[SnippetPart]
    """The sentence of that article with most of the words."""


class ArticleHit(Shape):
    """An article that was found."""

    article: ArticleOut
    score: float = Field(examples=[4.2])
    snippet: list[SnippetPart]
    """The sentence with most of the words."""


class StoryHits(Shape):
    """The stories that were found: some of them, and how many there are."""

    total: int = Field(examples=[390])
    hits: list[StoryHit]
    next: str | None
    """`cursor` of the next page; null on the last."""


class ArticleHits(Shape):
    """The articles that were found: some of them, and how many there are."""

    total: int = Field(examples=[1412])
    hits: list[ArticleHit]
    next: str | None
    """`articles_cursor` of the next page; null on the last."""


class FacetsOut(Shape):
    """How many stories each value of a filter would show, the other filters kept."""

    source: dict[str, int] = Field(examples=[{"Continental Wire": 12}])
    """The most common outlets."""
    lang: dict[str, int] = Field(examples=[{"en": 31, "de": 4}])
    status: dict[str, int] = Field(examples=[{"live": 20, "expired": 15, "merged": 2}])
    within: dict[str, int] = Field(examples=[{"6h": 1, "1d": 3, "3d": 9, "7d": 20}])
    """By the age of the newest article."""
    size: dict[str, int] = Field(examples=[{"small": 20, "medium": 12, "large": 3}])
    """By the number of articles: up to 2, up to 9, or more."""


class SearchOut(Shape):
    """What a search finds."""

    q: str = Field(examples=["kestrel bay earthquake"])
    """What was asked for."""
    corrected: str | None
    """What was searched for instead, where nothing has a word that was asked for."""
    stories: StoryHits
    articles: ArticleHits
    facets: FacetsOut


class SuggestionOut(Shape):
    """Something to search for."""

    text: str = Field(examples=["earthquake"])
    """What to put into the search."""
    kind: str = Field(examples=["word"])
    """`word`, `keyword` of a story, or `source`."""


class SuggestionsOut(Shape):
    """What somebody may be about to type."""

    suggestions: list[SuggestionOut]
