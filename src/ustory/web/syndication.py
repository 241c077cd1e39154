"""Feeds that go out: as Atom (RFC 4287) and as JSON Feed 1.1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from ustory.core.article import web_link
from ustory.core.wording import utc_text
from ustory.web.pages.reader_language import is_tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a feed: a story, or an article of one."""

    id: str
    """An address or a URN that never changes."""
    title: str
    link: str | None
    updated: datetime
    published: datetime
    summary: str = ""
    """The first sentences, as plain text."""
    content: str = ""
    """All that a reader is shown of it, as plain text."""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    language: str = ""
    """Of the title; empty where nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A feed and its entries, the newest first."""

    id: str
    title: str
    itself: str
    """The address of this feed."""
    home: str
    """The address of the page that it belongs to."""
    updated: datetime
    entries: Sequence[Entry]


ATOM_TYPE = "application/atom+xml"
ATOM_EXAMPLE = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'
)
_PAGE = "text/html"
_SPACE = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom(channel: Channel) -> bytes:
    """Return the feed as an XML document; all content is escaped text."""
    feed = Element("feed", xmlns=_SPACE)
    _add(feed, "id", channel.id)
    _add(feed, "title", channel.title)
    _add(feed, "updated", utc_text(channel.updated))
    SubElement(feed, "link", rel="self", type=ATOM_TYPE, href=_xml(channel.itself))
    SubElement(feed, "link", rel="alternate", type=_PAGE, href=_xml(channel.home))
    generator = SubElement(feed, "generator")
    generator.text = "ustory"
    for entry in channel.entries:
        feed.append(_entry(entry))
    written: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return written


def _entry(entry: Entry) -> Element:
    element = Element(
        "entry", {"xml:lang": entry.language} if is_tag(entry.language) else {}
    )
    _add(element, "id", entry.id)
    _add(element, "title", entry.title or "(no title)")
    _add(element, "updated", utc_text(entry.updated))
    _add(element, "published", utc_text(entry.published))
    for name in entry.authors or ("ustory",):  # Atom wants one
        _add(SubElement(element, "author"), "name", name)
    link = web_link(entry.link)
    if link is not None:
        SubElement(element, "link", rel="alternate", type=_PAGE, href=_xml(link))
    for tag in entry.tags:
        SubElement(element, "category", term=_xml(tag))
    if entry.summary:
        _add(element, "summary", entry.summary)
    # without a link to a page, Atom wants content
    content = entry.content or ("" if link else entry.summary or entry.title)
    if content or link is None:
        _add(element, "content", content)
    return element


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _xml(text)


def _xml(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)


JSON_FEED_TYPE = "application/feed+json"
VERSION = "https://jsonfeed.org/version/1.1"
JSON_FEED_EXAMPLE = {
    "version": VERSION,
    "title": "Stories",
    "home_page_url": "http://127.0.0.1:8000/",
    "feed_url": "http://127.0.0.1:8000/api/stories.json",
    "items": [],
}


def json_feed(channel: Channel) -> dict[str, Any]:
    """Return the feed as JSON values."""
    return {
        "version": VERSION,
        "title": channel.title,
        "home_page_url": channel.home,
        "feed_url": channel.itself,
        "items": [_item(entry) for entry in channel.entries],
    }


def _item(entry: Entry) -> dict[str, Any]:
    link = web_link(entry.link)
    optional: dict[str, Any] = {
        "url": link,
        "summary": entry.summary,
        "authors": [{"name": name} for name in entry.authors],
        "tags": list(entry.tags),
        "language": entry.language,
    }
    return {
        "id": entry.id,
        "title": entry.title,
        # plain text: readers need not render HTML of publishers
        "content_text": entry.content or entry.summary or entry.title,
        "date_published": utc_text(entry.published),
        "date_modified": utc_text(entry.updated),
        **{name: value for name, value in optional.items() if value},
    }
