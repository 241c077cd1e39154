"""Watchlists: what somebody wants to hear of."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    model_validator,
)

from ustory.store.tables import Match, Watchlist
from ustory.web.models.shared import SEEN, Line, Shape, Text, WebAddress, clean
from ustory.web.models.stories import StoryOut


def _has_a_letter(keyword: str) -> str:
    if not re.search(SEEN, keyword):
        raise ValueError("a keyword must not be blank")
    return keyword


Keyword = Annotated[
    str,
    # before the cleaning: what it would leave blank is refused
    AfterValidator(_has_a_letter),
    AfterValidator(clean),
    Field(min_length=1, max_length=100, json_schema_extra={"pattern": SEEN}),
]


class WatchlistIn(BaseModel):
    """What to watch for: keywords, or a text as an example; one of them is needed."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "anyOf": [
                {"required": ["keywords"], "properties": {"keywords": {"minItems": 1}}},
                {
                    "required": ["example"],
                    "properties": {"example": {"type": "string", "minLength": 1}},
                },
            ]
        },
    )

    name: Annotated[Line, Field(min_length=1, max_length=200)]
    keywords: list[Keyword] = Field(
        [], max_length=50, description="A story that has one of them is told of."
    )
    example: Annotated[Text, Field(max_length=20_000)] | None = Field(
        None, description="A text; stories that it would join are told of."
    )
    webhook: WebAddress | None = Field(
        None, description="An HTTP address that each match is sent to."
    )
    active: StrictBool = True

    @model_validator(mode="after")
    def _asks_for_something(self) -> WatchlistIn:
        if not (self.keywords or self.example):
            raise ValueError("a watchlist needs keywords or an example")
        return self


class WatchlistOut(Shape):
    """A watchlist; its secret is only told when it is made."""

    id: str
    name: str
    keywords: list[str]
    example: str | None
    webhook: str | None
    active: bool
    created_at: datetime

    @classmethod
    def of(cls, row: Watchlist) -> WatchlistOut:
        """Return a row of the store as it goes out."""
        return cls(**_values(row))


class WatchlistMade(WatchlistOut):
    """A new watchlist, with the secret that its webhook calls are signed with."""

    secret: str | None = Field(description="Keep it: it is not told again.")

    @classmethod
    def of(cls, row: Watchlist) -> WatchlistMade:
        """Return a row of the store with its secret."""
        return cls(**_values(row), secret=row.secret)


class Watchlists(Shape):
    """All watchlists."""

    watchlists: list[WatchlistOut]


class MatchedOut(Shape):
    """A story that a watchlist asked for."""

    id: int
    at: datetime
    slide: int
    article: str | None = Field(description="The article that made it match.")
    story: StoryOut | None

    @classmethod
    def of_match(cls, match: Match, story: StoryOut | None) -> MatchedOut:
        """Return a row of the store as it goes out."""
        return cls(
            id=match.id,
            at=match.at,
            slide=match.slide,
            article=match.article,
            story=story,
        )


class MatchedPage(Shape):
    """Some matches of a watchlist, the newest first."""

    matches: list[MatchedOut]
    next: int | None = Field(description="`before` of the next page; null on the last.")


def _host(webhook: str) -> str:
    """Return where a webhook leads, without the path: that is often a secret."""
    parts = urlsplit(webhook)
    return f"{parts.scheme}://{parts.netloc}/…"


def _values(row: Watchlist) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "keywords": list(row.keywords),
        "example": row.example,
        "webhook": None if row.webhook is None else _host(row.webhook),
        "active": row.active,
        "created_at": row.created_at,
    }
