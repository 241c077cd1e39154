"""Watchlists: what somebody wants to hear of."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StrictBool,
    model_validator,
)

from ustory.core.errors import ConfigError
from ustory.store.search_query import parse_query
from ustory.store.tables import Watchlist
from ustory.web.models.shared import SEEN, Input, Line, Shape, Text, WebAddress, clean
from ustory.web.models.stories import StoryOut


def _has_a_letter(keyword: str) -> str:
    if not re.search(SEEN, keyword):
        raise ValueError("it must not be blank")
    return keyword


Keyword = Annotated[
    str,
    # before the cleaning: what it would leave blank is refused
    AfterValidator(_has_a_letter),
    AfterValidator(clean),
    Field(min_length=1, max_length=100, json_schema_extra={"pattern": SEEN}),
]


def _can_be_searched(text: str) -> str:
    try:
        parse_query(text)
    except ConfigError as error:
        raise ValueError(str(error)) from None
    return text


MAX_SEARCH = 300
"""Characters of a search that can be watched."""
SearchText = Annotated[
    str,
    AfterValidator(_has_a_letter),
    AfterValidator(clean),
    AfterValidator(_can_be_searched),
    Field(min_length=1, max_length=MAX_SEARCH, json_schema_extra={"pattern": SEEN}),
]
WebhookFormat = Literal["cloudevents", "plain"]


class WatchlistIn(Input):
    """What to watch for: keywords, a search, or an example; one of them is needed."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "anyOf": [
                {"required": ["keywords"], "properties": {"keywords": {"minItems": 1}}},
                {
                    "required": ["example"],
                    "properties": {"example": {"type": "string", "minLength": 1}},
                },
                {
                    "required": ["search"],
                    "properties": {"search": {"type": "string"}},
                },
            ]
        },
    )

    name: Annotated[Line, Field(min_length=1, max_length=200)] = Field(
        examples=["Earthquakes"]
    )
    keywords: list[Keyword] = Field([], max_length=50, examples=[["earthquake"]])
    """A story that has one of them is told of."""
    example: Annotated[Text, Field(max_length=20_000)] | None = None
    """A text; stories that it would join are told of."""
    search: SearchText | None = Field(None, examples=["earthquake -drill"])
    """A search, as the page takes it; live stories that it finds are told of."""
    webhook: WebAddress | None = Field(None, examples=["https://hooks.example/ustory"])
    """An HTTP address that each match is sent to."""
    webhook_format: WebhookFormat | None = Field(None, examples=["cloudevents"])
    """What is sent: CloudEvents 1.0, or `plain`, as releases before 0.3 did. Left out,
    a new watchlist sends CloudEvents, and one that is changed what it sent before."""
    active: StrictBool = True

    @model_validator(mode="after")
    def _asks_for_something(self) -> WatchlistIn:
        if not (self.keywords or self.example or self.search):
            raise ValueError("a watchlist needs keywords, a search or an example")
        return self


class WatchlistOut(Shape):
    """A watchlist; its secret is only told when it is made."""

    id: str = Field(examples=["w-4f1c"])
    name: str = Field(examples=["Earthquakes"])
    keywords: list[str] = Field(examples=[["earthquake"]])
    example: str | None
    search: str | None = Field(None, examples=["earthquake -drill"])
    webhook: str | None = Field(examples=["https://hooks.example/…"])
    webhook_format: str = Field(examples=["cloudevents"])
    """`cloudevents` or `plain`."""
    active: bool = Field(examples=[True])
    created_at: datetime = Field(examples=["2024-03-04T06:00:00Z"])

    @classmethod
    def of(cls, row: Watchlist, **changed: Any) -> Self:  # noqa: ANN401 - any fields
        """Return a watchlist as it goes out, without the path of its webhook."""
        host = None if row.webhook is None else _host(row.webhook)
        return super().of(row, webhook=host, **changed)


class WatchlistMade(WatchlistOut):
    """A new watchlist, with the secret that its webhook calls are signed with."""

    secret: str | None = Field(examples=["kept by you, and told only once"])
    """Keep it: it is not told again."""


class Watchlists(Shape):
    """All watchlists."""

    watchlists: list[WatchlistOut]


class MatchedOut(Shape):
    """A story that a watchlist asked for."""

    id: int = Field(examples=[3])
    at: datetime = Field(examples=["2024-03-04T12:00:00Z"])
    slide: int = Field(examples=[1])
    article: str | None
    """The article that made it match."""
    story: StoryOut | None


class MatchedPage(Shape):
    """Some matches of a watchlist, the newest first."""

    matches: list[MatchedOut]
    next: int | None
    """`before` of the next page; null on the last."""


def _host(webhook: str) -> str:
    """Return where a webhook leads, without the path: that is often a secret."""
    parts = urlsplit(webhook)
    return f"{parts.scheme}://{parts.netloc}/…"
