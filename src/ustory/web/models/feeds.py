"""The feeds that are read."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from ustory.sources.http.masking import feed_id, masked_address, masked_words
from ustory.store.tables import FeedRow
from ustory.web.models.shared import Line, Shape, WebAddress


class FeedIn(BaseModel):
    """A feed to read from now on."""

    model_config = ConfigDict(extra="forbid")

    url: WebAddress = Field(description="The address of an RSS, Atom or JSON feed.")
    title: Line = ""


class FeedOut(Shape):
    """A feed, and how the last readings went."""

    id: str = Field(description="What it is called in `DELETE /api/feeds/{feed}`.")
    url: str = Field(
        description="Its address; without a key for feeds, `***` is for secrets in it."
    )
    title: str
    active: bool
    added_at: datetime
    articles: int = Field(description="Articles that came from it.")
    status: int | None = Field(description="The last HTTP status.")
    last_ok: datetime | None
    last_error: str | None
    failures: int = Field(description="Failures in a row.")
    next_at: datetime | None = Field(description="When it is read next.")

    @classmethod
    def of(cls, row: FeedRow, *, whole: bool) -> FeedOut:
        """Return a row of the store as it goes out, with or without its secrets."""
        error = row.last_error
        return cls(
            id=feed_id(row.url),
            url=row.url if whole else masked_address(row.url),
            title=row.title,
            active=row.active,
            added_at=row.added_at,
            articles=row.articles,
            status=row.status,
            last_ok=row.last_ok,
            last_error=error if whole or error is None else masked_words(error),
            failures=row.failures,
            next_at=row.next_at,
        )


class Feeds(Shape):
    """All feeds."""

    feeds: list[FeedOut]


class Imported(Shape):
    """What an OPML document added."""

    added: int
    known: int = Field(description="Feeds that were there already.")
    refused: int = Field(description="Addresses that may not be read.")
