"""What goes into the tables and comes out of them, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow:
    """An article without its text, and the story it is in."""

    id: str
    seq: int
    """The intake number of its first revision."""
    slide: int
    """The slide it belongs to, for ever."""
    published_at: datetime
    """The date that is used: the publisher's claim, or what it was clamped to."""
    fetched_at: datetime
    fingerprint: str
    """Of the newest revision."""
    title: str = ""
    url: str | None = None
    address: str | None = None
    """The canonical URL; no two articles share one."""
    source: str | None = None
    lang: str | None = None
    authors: tuple[str, ...] = ()
    claimed_at: datetime | None = None
    date_flag: str | None = None
    """`future`, `old` or `missing` where the claim could not be used, `backdated`
    where it does not say who was first."""
    origin: str = ""
    """The name of the source it came from."""
    story: str | None = None
    how: str = ""
    confidence: float = 0.0
    copy_of: str | None = None
    edits: int = 0
    waiting: bool = True
    """Taken in, and its slide is not done yet."""
    text_kept: bool = True
    """False once retention has let its text go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """One text of an article; number 1 is the first, an edit adds one."""

    seq: int
    article: str
    number: int
    slide: int
    """The slide it arrived in."""
    fetched_at: datetime
    fingerprint: str
    title: str = ""
    text: str | None = ""
    """None once retention has let it go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideRow:
    """A range of intake numbers, and what became of it."""

    number: int
    start: datetime
    end: datetime
    first_seq: int
    last_seq: int | None = None
    """None while it is open, `first_seq - 1` when it is empty."""
    status: str = "open"
    """`open`, `closed` or `done`."""
    done_at: datetime | None = None
    articles: int = 0
    stories: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """What was decided about an article in a slide; `record` is all there is to say.

    `how`, `confidence` and `copy_of` in the record let a placement be made again.
    """

    article: str
    slide: int
    story: str | None
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where an article is now."""

    story: str | None
    how: str
    confidence: float = 0.0
    copy_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow:
    """A story as it last stood."""

    id: str
    first_seen: datetime
    last_seen: datetime
    born_at: datetime
    born_slide: int
    changed_slide: int
    status: str = "live"
    """`live`, `expired` or `merged`."""
    headline: str = ""
    keywords: tuple[str, ...] = ()
    articles: int = 0
    """Articles it ever had."""
    inside: int = 0
    """Articles it has in the window."""
    sources: int = 0
    """Independent sources."""
    heat: float = 0.0
    merged_into: str | None = None
    split_from: str | None = None
    lang: str | None = None
    top_sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDay:
    """One day of a story; `day` counts days since 1970 in UTC."""

    story: str
    day: int
    articles: int
    sources: int = 0
    keywords: tuple[str, ...] = ()
    central: str | None = None
    """The most central article of the day, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """A line of the ledger; ids have no gaps."""

    id: int
    slide: int
    at: datetime
    kind: str
    story: str
    """Empty where the event is about the whole archive."""
    articles: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """From after a slide on, the archive is computed by one version of the method."""

    number: int
    """From 1, without gaps."""
    slide: int
    """The last slide before it; its state is kept as a snapshot while it lasts."""
    at: datetime
    reason: str
    """`begin`, `method`, `retold`, `withdrawal` or `repaired`."""
    method: int
    version: str
    """The release of ustory that began it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRow:
    """A feed that is read, and how the last readings went."""

    url: str
    added_at: datetime
    title: str = ""
    etag: str | None = None
    modified: str | None = None
    next_at: datetime | None = None
    """When it is to be read next; None means at once."""
    failures: int = 0
    last_ok: datetime | None = None
    last_error: str | None = None
    status: int | None = None
    """The last HTTP status."""
    articles: int = 0
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Watchlist:
    """What somebody wants to hear of."""

    id: str
    name: str
    created_at: datetime
    keywords: tuple[str, ...] = ()
    example: str | None = None
    webhook: str | None = None
    secret: str | None = None
    active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A story that a watchlist asked for; once per story."""

    id: int
    watchlist: str
    story: str
    slide: int
    at: datetime
    article: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message to a webhook; the id is its idempotency key."""

    id: str
    watchlist: str
    match: int
    url: str
    next_at: datetime
    body: Mapping[str, Any] = field(default_factory=dict)
    attempts: int = 0
    status: str = "due"
    """`due`, `sent`, `failed`, or `cancelled` by its watchlist's owner."""
    last_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideRow:
    """An article that is set aside, why, and since when."""

    article: str
    seq: int
    slide: int
    at: datetime
    reason: str
    by: str
    """`loop` where its slide failed with it, else who asked for it."""
    left_out: bool
    """Whether its slide is computed without it; else it came too late for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that went wrong, for people to see."""

    id: int
    at: datetime
    origin: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of a list, and where the rest begins (None: there is no more).

    A page may hold fewer than was asked for, and still have a cursor.
    """

    items: Sequence[T]
    cursor: str | None = None
