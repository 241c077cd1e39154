"""The tables of the archive and their rows, each column declared once.

A table is made from the fields of its row; a test compares it with the migrations.
Digests depend on the column order of stories, story_days, decisions and events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, get_type_hints

from sqlalchemy import Index, text, true

from ustory.core.edit import Edit
from ustory.core.story import StoryLanguage
from ustory.store.columns import TABLES, table
from ustory.store.key_table import KeyRow as KeyRow
from ustory.store.key_table import keys as keys

tables = TABLES
meta = table("meta", {"key": str, "value": Any}, "key")


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
    """The language it is in, once its slide is done; before, what its source says."""
    sent_lang: str | None = None
    """What its source says where it is in another language, empty if it says nothing;
    else None."""
    authors: tuple[str, ...] = ()
    claimed_at: datetime | None = None
    date_flag: str | None = None
    """`future`, `old` or `missing`: the claim is not used, but the time of fetching (an
    `old` one is where the origin brings many); `backdated`: doubted."""
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


articles = table("articles", get_type_hints(ArticleRow), "id")
_a = articles.c
Index("articles_seq", _a.seq, unique=True)
Index("articles_slide", _a.slide)
Index("articles_address", _a.address, unique=True)
Index("articles_fingerprint", _a.fingerprint)
Index("articles_source", _a.source, _a.published_at)
Index("articles_lang", _a.lang, _a.published_at)
Index("articles_story_lang", _a.story, _a.lang)
Index("articles_published_at", _a.published_at, _a.id)
Index("articles_story", _a.story, _a.published_at, _a.id)
_k = _a.text_kept == true()
Index("articles_text_kept", _a.published_at, sqlite_where=_k, postgresql_where=_k)
IS_LATE = text("how = 'late'")
"""Was older than the window when it came in; in words, so that the index is used."""
Index("articles_late", _a.seq, sqlite_where=IS_LATE, postgresql_where=IS_LATE)


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


revisions = table("revisions", get_type_hints(RevisionRow), "seq")
Index("revisions_article", revisions.c.article, revisions.c.number, unique=True)


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


slides = table("slides", get_type_hints(SlideRow), "number")
Index("slides_status", slides.c.status, slides.c.number)
Index("slides_end", slides.c.end, slides.c.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """What was decided about an article in a slide; `record` is all there is to say.

    `how`, `confidence` and `copy_of` in the record let a placement be made again.
    """

    article: str
    slide: int
    story: str | None
    record: Mapping[str, Any] = field(default_factory=dict)


decisions = table("decisions", get_type_hints(DecisionRow), "article", "slide")
Index("decisions_slide", decisions.c.slide, decisions.c.article)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow:
    """A story as it last stood."""

    id: str
    status: str = "live"
    """`live`, `expired` or `merged`."""
    headline: str = ""
    keywords: tuple[str, ...] = ()
    first_seen: datetime
    last_seen: datetime
    articles: int = 0
    """Articles it ever had."""
    inside: int = 0
    """Articles it has in the window."""
    sources: int = 0
    """Independent sources."""
    heat: float = 0.0
    born_at: datetime
    born_slide: int
    changed_slide: int
    merged_into: str | None = None
    split_from: str | None = None
    lang: str | None = None
    """Of headline and keywords: the language in which most outlets write."""
    top_sources: tuple[str, ...] = ()
    languages: tuple[Mapping[str, Any], ...] | None = None
    """The fields of a `StoryLanguage` for each, the one with most articles first; None
    where all articles are in `lang`, or in none that is known."""

    @property
    def in_languages(self) -> tuple[StoryLanguage, ...]:
        """What the story is called in each of its languages."""
        if self.languages is not None:
            return tuple(
                StoryLanguage(**{**each, "keywords": tuple(each["keywords"])})
                for each in self.languages
            )
        if self.lang is None:
            return ()
        return (StoryLanguage(lang=self.lang, articles=self.articles),)


stories = table("stories", {**get_type_hints(StoryRow), "number": int}, "id")
_s = stories.c
Index("stories_number", _s.number, unique=True)
Index("stories_heat", _s.status, _s.heat, _s.last_seen, _s.id)
Index("stories_recent", _s.status, _s.last_seen, _s.id)
Index("stories_size", _s.status, _s.articles, _s.id)
Index("stories_new", _s.status, _s.first_seen, _s.id)
Index("stories_changed", _s.changed_slide, _s.id)
Index("stories_born", _s.born_slide)
Index("stories_lang_heat", _s.lang, _s.status, _s.heat, _s.last_seen, _s.id)
Index("stories_lang_recent", _s.lang, _s.status, _s.last_seen, _s.id)
Index("stories_lang_size", _s.lang, _s.status, _s.articles, _s.id)
Index("stories_lang_new", _s.lang, _s.status, _s.first_seen, _s.id)
Index("stories_split", _s.split_from)
Index("stories_merged", _s.merged_into)


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


story_days = table("story_days", get_type_hints(StoryDay), "story", "day")


SORTED_TAGS = {"recent": "last_seen", "size": "articles", "new": "first_seen"}
"""The sorts that the tables of words have an index for, and its column."""
# copies of the columns lists are sorted by: a page of one word is one index scan
_tag = {"status": str, "first_seen": datetime, "last_seen": datetime, "articles": int}
_keyword, _source = {"story": str, "keyword": str}, {"story": str, "source": str}
story_keywords = table("story_keywords", {**_keyword, **_tag}, *_keyword)
story_sources = table("story_sources", {**_source, **_tag}, *_source)
for _table, _word in ((story_keywords, "keyword"), (story_sources, "source")):
    for _sort, _name in SORTED_TAGS.items():
        _k, _t = _table.c[_word], _table.c
        Index(f"{_table}_{_sort}", _k, _t.status, _t[_name], _t.story)


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


events = table("events", get_type_hints(EventRow), "id")
Index("events_slide", events.c.slide)
Index("events_story", events.c.story, events.c.id)
Index("events_kind", events.c.kind, events.c.id)

_snapshot = {"slide": int, "format": int, "sha256": str, "bytes": bytes}
snapshots = table("snapshots", {**_snapshot, "made_at": datetime}, "slide")
_cursor = {"source": str, "cursor": str, "updated_at": datetime}
cursors = table("cursors", _cursor, "source")


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


epochs = table("epochs", get_type_hints(Epoch), "number")


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


feeds = table("feeds", get_type_hints(FeedRow), "url")
Index("feeds_next_at", feeds.c.next_at)


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
    webhook_format: str = "cloudevents"
    """`cloudevents`, or `plain` as messages were before there was a choice."""
    search: str | None = None
    """A search; stories that it finds match."""


watchlists = table("watchlists", get_type_hints(Watchlist), "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A story that a watchlist asked for; once per story."""

    id: int
    watchlist: str
    story: str
    slide: int
    at: datetime
    article: str | None = None


matches = table("matches", get_type_hints(Match), "id")
Index("matches_story", matches.c.watchlist, matches.c.story, unique=True)
Index("matches_watchlist", matches.c.watchlist, matches.c.id)


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


deliveries = table("deliveries", get_type_hints(Delivery), "id")
Index("deliveries_due", deliveries.c.status, deliveries.c.next_at)


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


set_aside = table("set_aside", get_type_hints(AsideRow), "article")
Index("set_aside_slide", set_aside.c.slide)


_EDIT = {each.name: get_type_hints(Edit)[each.name] for each in fields(Edit)}
edits = table("edits", {**_EDIT, "slide": int | None}, "number")
"""With the slide that took each in, None until one closes."""
Index("edits_slide", edits.c.slide)
Index("edits_target", edits.c.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that went wrong, for people to see."""

    id: int
    at: datetime
    origin: str
    kind: str
    message: str


problems = table("problems", get_type_hints(Problem), "id")
