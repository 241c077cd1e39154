"""An entry of a feed, whichever the format, its links, and the article it becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.sources.http.guard import SCHEMES
from ustory.sources.records.clean import one_line
from ustory.sources.records.dates import parse_date
from ustory.sources.records.fields import (
    MAX_ARTICLE_BYTES,
    MAX_FIELD_LENGTH,
    to_article,
)
from ustory.sources.records.problems import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An article as it came in; whoever takes it in judges its date."""

    article: Article
    """`published_at` is the publisher's claim, the time of fetching without one."""
    claimed_at: datetime | None
    """The claim as it stands, None where there is none that can be read."""
    summary_only: bool = False
    """Whether the text is only a summary of what stands at the article's address."""


_BREAKS = re.compile(r"[\t\r\n]+ *")


def resolve_link(link: str, base: str) -> str | None:
    """Return the web address that `link` means on the page `base`, None if it is none.

    >>> resolve_link("../a", "https://news.org/feeds/rss"), resolve_link(
    ...     "javascript:alert(1)", "https://news.org/")
    ('https://news.org/a', None)
    """
    # As in browsers, a line break in an address is not part of it.
    link = one_line(_BREAKS.sub("", link.strip())).replace(" ", "%20")
    if not link or len(link) > MAX_FIELD_LENGTH:
        return None
    try:
        whole = urljoin(base, link)
        parts = urlsplit(whole)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    return whole if parts.scheme in SCHEMES and host else None


def host_of(url: str) -> str:
    """Return the host of a web address in lower case, empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def site_of(url: str) -> str:
    """Return the host without `www.`, which is how readers name a publisher.

    >>> site_of("https://www.news.org/a")
    'news.org'
    """
    return host_of(url).removeprefix("www.")


MAX_ENTRIES = 1_000
"""Entries of one document that are looked at; feeds have some dozens."""

_LONG_TITLE = 1_000
_LONG_NAME = 200
_MAX_AUTHORS = 20
_FULL = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """What a feed says about one article, as plain text."""

    title: str
    text: str
    link: str | None
    has_content: bool
    """Whether the feed has an element for the content, beside that for a summary."""
    claimed_at: datetime | None = None
    lang: str = ""
    authors: tuple[str, ...] = ()

    def bounded(self) -> FeedEntry:
        """Return the entry with nothing in it that is longer than is kept."""
        title = self.title[:_LONG_TITLE]
        room = MAX_ARTICLE_BYTES - len(title.encode("utf-8", "replace"))
        text = self.text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
        names = tuple(name[:_LONG_NAME] for name in self.authors[:_MAX_AUTHORS])
        return replace(
            self, title=title, text=text, lang=self.lang[:_LONG_NAME], authors=names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What a document of a feed holds."""

    title: str
    items: tuple[Fetched, ...]
    """In the order of the document, each article once."""
    problems: tuple[str, ...] = ()
    """Why entries were left out."""
    cost: float = field(default=0.0, compare=False)
    """Seconds of computing that it took another process to read it."""


def collect(
    title: str, entries: Sequence[FeedEntry], url: str, fetched_at: datetime
) -> Feed:
    """Return the articles of a feed's entries; those that are none are left out."""
    items: dict[str, Fetched] = {}
    problems = []
    for number, entry in enumerate(entries[:MAX_ENTRIES], start=1):
        try:
            item = _to_item(entry, url, fetched_at, number)
        except InputError as error:
            problems.append(str(error))
        else:
            items.setdefault(item.article.id, item)
    if len(entries) > MAX_ENTRIES:
        problems.append(
            f"{url}: a feed may have {MAX_ENTRIES:,} entries; this one has more, and "
            "the later ones were left out"
        )
    return Feed(
        title=title[:_LONG_NAME],
        items=tuple(items.values()),
        problems=tuple(problems),
    )


def read_claim(value: object) -> datetime | None:
    """Return a publisher's date as it stands, None if it cannot be read."""
    try:
        return parse_date(value)
    except ValueError:
        return None


def _to_item(entry: FeedEntry, url: str, fetched_at: datetime, number: int) -> Fetched:
    entry = entry.bounded()
    record = {
        "title": entry.title,
        "text": entry.text,
        "url": entry.link,
        "source": site_of(entry.link or url) or None,
        "lang": entry.lang,
        "authors": list(entry.authors),
        "published_at": fetched_at,
        "fetched_at": fetched_at,
    }
    # Dates are not judged here, so the check that ingest makes is passed by.
    article = to_article(record, Place(url, 0, f"entry {number}"), fetched_at)
    return Fetched(
        article=replace(article, published_at=entry.claimed_at or fetched_at),
        claimed_at=entry.claimed_at,
        summary_only=not entry.has_content and len(entry.text) < _FULL,
    )
