"""The tables of the archive; migrations make them, a test compares the two."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, LargeBinary, MetaData, Table, true

from ustory.store.columns import Json, Moment, Number, Real, Words

tables = MetaData()


def _key(name: str, kind: object = Words) -> Column[object]:
    return Column(name, kind, primary_key=True, autoincrement=False)  # type: ignore[arg-type]


def _need(name: str, kind: object = Words) -> Column[object]:
    return Column(name, kind, nullable=False)  # type: ignore[arg-type]


meta = Table("meta", tables, _key("key"), _need("value", Json))

articles = Table(
    "articles",
    tables,
    _key("id"),
    _need("seq", Number),
    _need("slide", Number),
    Column("url", Words),
    Column("address", Words),
    _need("fingerprint"),
    _need("title"),
    Column("source", Words),
    Column("lang", Words),
    _need("authors", Json),
    _need("published_at", Moment),
    Column("claimed_at", Moment),
    Column("date_flag", Words),
    _need("fetched_at", Moment),
    _need("origin"),
    Column("story", Words),
    _need("how"),
    _need("confidence", Real),
    Column("copy_of", Words),
    _need("edits", Number),
    _need("waiting", Boolean),
    _need("text_kept", Boolean),
)
Index("articles_seq", articles.c.seq, unique=True)
Index("articles_slide", articles.c.slide)
Index("articles_address", articles.c.address, unique=True)
Index("articles_fingerprint", articles.c.fingerprint)
Index("articles_source", articles.c.source, articles.c.published_at)
Index("articles_lang", articles.c.lang, articles.c.published_at)
Index("articles_published_at", articles.c.published_at, articles.c.id)
Index("articles_story", articles.c.story, articles.c.published_at, articles.c.id)
Index(
    "articles_text_kept",
    articles.c.published_at,
    sqlite_where=articles.c.text_kept == true(),
    postgresql_where=articles.c.text_kept == true(),
)

revisions = Table(
    "revisions",
    tables,
    _key("seq", Number),
    _need("article"),
    _need("number", Number),
    _need("slide", Number),
    _need("title"),
    Column("text", Words),
    _need("fingerprint"),
    _need("fetched_at", Moment),
)
Index("revisions_article", revisions.c.article, revisions.c.number, unique=True)

slides = Table(
    "slides",
    tables,
    _key("number", Number),
    _need("start", Moment),
    _need("end", Moment),
    _need("first_seq", Number),
    Column("last_seq", Number),
    _need("status"),
    Column("done_at", Moment),
    _need("articles", Number),
    _need("stories", Number),
    _need("seconds", Json),
    Column("digest", Words),
)
Index("slides_status", slides.c.status, slides.c.number)
Index("slides_end", slides.c.end, slides.c.number)

decisions = Table(
    "decisions",
    tables,
    _key("article"),
    _key("slide", Number),
    Column("story", Words),
    _need("record", Json),
)
Index("decisions_slide", decisions.c.slide, decisions.c.article)

stories = Table(
    "stories",
    tables,
    _key("id"),
    _need("number", Number),
    _need("status"),
    _need("headline"),
    _need("keywords", Json),
    _need("first_seen", Moment),
    _need("last_seen", Moment),
    _need("articles", Number),
    _need("inside", Number),
    _need("sources", Number),
    _need("heat", Real),
    _need("born_at", Moment),
    _need("born_slide", Number),
    _need("changed_slide", Number),
    Column("merged_into", Words),
    Column("split_from", Words),
    Column("lang", Words),
    _need("top_sources", Json),
)
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

story_days = Table(
    "story_days",
    tables,
    _key("story"),
    _key("day", Number),
    _need("articles", Number),
    _need("sources", Number),
    _need("keywords", Json),
    Column("central", Words),
)


def _tags(name: str, word: str) -> Table:
    """Return a table of words that stories are found by.

    It repeats what lists are sorted by, so that a page of one word is one walk along
    an index. Heat is left out: it changes in every slide, and only while live.
    """
    table = Table(
        name,
        tables,
        _key("story"),
        _key(word),
        _need("status"),
        _need("first_seen", Moment),
        _need("last_seen", Moment),
        _need("articles", Number),
    )
    for sort, column in SORTED_TAGS.items():
        columns = [table.c[each] for each in (word, "status", column, "story")]
        Index(f"{name}_{sort}", *columns)
    return table


SORTED_TAGS = {"recent": "last_seen", "size": "articles", "new": "first_seen"}
"""The sorts that the tables of words have an index for, and what each goes by."""
story_keywords = _tags("story_keywords", "keyword")
story_sources = _tags("story_sources", "source")

events = Table(
    "events",
    tables,
    _key("id", Number),
    _need("slide", Number),
    _need("at", Moment),
    _need("kind"),
    _need("story"),
    _need("articles", Json),
    _need("details", Json),
)
Index("events_slide", events.c.slide)
Index("events_story", events.c.story, events.c.id)
Index("events_kind", events.c.kind, events.c.id)

snapshots = Table(
    "snapshots",
    tables,
    _key("slide", Number),
    _need("format", Number),
    _need("sha256"),
    _need("bytes", LargeBinary),
    _need("made_at", Moment),
)

epochs = Table(
    "epochs",
    tables,
    _key("number", Number),
    _need("slide", Number),
    _need("at", Moment),
    _need("reason"),
    _need("method", Number),
    _need("version"),
)

cursors = Table(
    "cursors",
    tables,
    _key("source"),
    _need("cursor"),
    _need("updated_at", Moment),
)

feeds = Table(
    "feeds",
    tables,
    _key("url"),
    _need("title"),
    Column("etag", Words),
    Column("modified", Words),
    Column("next_at", Moment),
    _need("failures", Number),
    Column("last_ok", Moment),
    Column("last_error", Words),
    Column("status", Number),
    _need("articles", Number),
    _need("added_at", Moment),
    _need("active", Boolean),
)
Index("feeds_next_at", feeds.c.next_at)

watchlists = Table(
    "watchlists",
    tables,
    _key("id"),
    _need("name"),
    _need("keywords", Json),
    Column("example", Words),
    Column("webhook", Words),
    Column("secret", Words),
    _need("created_at", Moment),
    _need("active", Boolean),
)

matches = Table(
    "matches",
    tables,
    _key("id", Number),
    _need("watchlist"),
    _need("story"),
    Column("article", Words),
    _need("slide", Number),
    _need("at", Moment),
)
Index("matches_story", matches.c.watchlist, matches.c.story, unique=True)
Index("matches_watchlist", matches.c.watchlist, matches.c.id)

deliveries = Table(
    "deliveries",
    tables,
    _key("id"),
    _need("watchlist"),
    _need("match", Number),
    _need("url"),
    _need("body", Json),
    _need("attempts", Number),
    _need("next_at", Moment),
    _need("status"),
    Column("last_error", Words),
)
Index("deliveries_due", deliveries.c.status, deliveries.c.next_at)

set_aside = Table(
    "set_aside",
    tables,
    _key("article"),
    _need("seq", Number),
    _need("slide", Number),
    _need("at", Moment),
    _need("reason"),
    _need("by"),
    _need("left_out", Boolean),
)
Index("set_aside_slide", set_aside.c.slide)

problems = Table(
    "problems",
    tables,
    _key("id", Number),
    _need("at", Moment),
    _need("origin"),
    _need("kind"),
    _need("message"),
)

keys = Table(
    "keys",
    tables,
    _key("name"),
    _need("digest"),
    _need("scopes", Json),
    _need("created_at", Moment),
    Column("expires_at", Moment),
    Column("revoked_at", Moment),
    Column("last_used_at", Moment),
)
