"""The feeds that are read."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from pydantic import ConfigDict, Field

from ustory.sources.http.masking import feed_id, masked_address, masked_words
from ustory.store.tables import FeedRow
from ustory.web.models.shared import Input, Line, Shape, WebAddress


class FeedIn(Input):
    """A feed to read from now on."""

    model_config = ConfigDict(extra="forbid")

    url: WebAddress = Field(examples=["https://harbourpost.example/rss.xml"])
    """The address of an RSS, Atom or JSON feed."""
    title: Line = Field("", examples=["Harbour Post"])


class FeedOut(Shape):
    """A feed, and how the last readings went."""

    id: str = Field(examples=["1f6d7c5f0a3b9e24"])
    """What it is called in `DELETE /api/feeds/{feed}`."""
    url: str = Field(examples=["https://harbourpost.example/rss.xml"])
    """Its address; without a key for feeds, `***` is for secrets in it."""
    title: str = Field(examples=["Harbour Post"])
    active: bool = Field(examples=[True])
    added_at: datetime = Field(examples=["2024-03-04T06:00:00Z"])
    articles: int = Field(examples=[42])
    """Articles that came from it."""
    status: int | None = Field(examples=[200])
    """The last HTTP status."""
    last_ok: datetime | None = Field(examples=["2024-03-07T11:00:00Z"])
    last_error: str | None
    failures: int = Field(examples=[0])
    """Failures in a row."""
    next_at: datetime | None = Field(examples=["2024-03-07T11:15:00Z"])
    """When it is read next."""

    @classmethod
    def of(cls, row: FeedRow, *, whole: bool = False, **changed: Any) -> Self:  # noqa: ANN401 - any fields
        """Return a feed as it goes out, with or without its secrets."""
        if not whole:
            error = row.last_error
            changed["url"] = masked_address(row.url)
            changed["last_error"] = None if error is None else masked_words(error)
        return super().of(row, id=feed_id(row.url), **changed)


class Feeds(Shape):
    """All feeds."""

    feeds: list[FeedOut]


class Imported(Shape):
    """What an OPML document added."""

    added: int = Field(examples=[12])
    known: int = Field(examples=[1])
    """Feeds that were there already."""
    refused: int = Field(examples=[0])
    """Addresses that may not be read."""
