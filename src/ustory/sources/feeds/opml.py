"""Lists of feeds in OPML, as every feed reader reads and writes them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import format_datetime
from xml.etree import ElementTree

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from ustory.core.errors import ConfigError
from ustory.sources.feeds.entry import resolve_link
from ustory.sources.feeds.feed_list import Subscription
from ustory.sources.feeds.markup import plain_line

MAX_BYTES = 10_000_000
"""The largest list that is read."""

MAX_FEEDS = 10_000
"""Feeds that a list may name."""

_LONG = 200
_NOT_XML = dict.fromkeys((*range(32), 0xFFFE, 0xFFFF))


def read_opml(data: bytes, name: str = "this file") -> list[Subscription]:
    """Return the feeds of an OPML document, each once, whatever folders they are in.

    `name` is what messages call the document. Entries that are no feeds, and
    addresses that are not of the web, are left out.
    """
    found = _outlines(data, name).feeds
    if not found:
        raise ConfigError(
            f"{name} names no feed; a feed is an <outline> with an `xmlUrl`, and its "
            "address begins with http:// or https://"
        )
    return list(found.values())


def write_opml(feeds: Iterable[Subscription], now: datetime) -> bytes:
    """Return an OPML document with these feeds, which `read_opml` reads back."""
    root = ElementTree.Element("opml", version="2.0")
    head = ElementTree.SubElement(root, "head")
    ElementTree.SubElement(head, "title").text = "Feeds of ustory"
    created = format_datetime(now.astimezone(UTC), usegmt=True)
    ElementTree.SubElement(head, "dateCreated").text = created
    body = ElementTree.SubElement(root, "body")
    for feed in feeds:
        title = feed.title.translate(_NOT_XML)
        ElementTree.SubElement(
            body, "outline", type="rss", text=title, title=title, xmlUrl=feed.url
        )
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _outlines(data: bytes, name: str) -> _Outlines:
    if len(data) > MAX_BYTES:
        raise ConfigError(
            f"a list of feeds may have {MAX_BYTES:,} bytes; {name} has {len(data):,}"
        )
    outlines = _Outlines(name)
    parser = DefusedXMLParser(target=outlines, forbid_dtd=True)
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException:
        raise ConfigError(
            f"{name} must not define entities or a DOCTYPE; take its <!DOCTYPE ...> out"
        ) from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ConfigError(f"{name} is not OPML: {error}") from None
    return outlines


class _Outlines:
    """Takes the feeds out of a list while it is parsed; no tree is made. Mutable."""

    def __init__(self, name: str) -> None:
        self.feeds: dict[str, Subscription] = {}
        self._name = name
        self._depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take note of an element."""
        if not self._depth and tag.lower() != "opml":
            raise ConfigError(f"{self._name} is not OPML: it begins with <{tag[:40]}>")
        self._depth += 1
        if tag == "outline":
            self._outline({key.lower(): value for key, value in attributes.items()})

    def end(self, tag: str) -> None:
        """Leave an element."""

    def close(self) -> None:
        """End the document."""

    def _outline(self, attributes: dict[str, str]) -> None:
        # A list is read far from any page, so an address must be whole.
        url = resolve_link(attributes.get("xmlurl", ""), "")
        title = attributes.get("title") or attributes.get("text") or ""
        if url is None or url in self.feeds:
            return
        if len(self.feeds) >= MAX_FEEDS:
            raise ConfigError(
                f"a list may name {MAX_FEEDS:,} feeds, and {self._name} names more; "
                "split it"
            )
        short = plain_line(title[: 10 * _LONG])[:_LONG]
        self.feeds[url] = Subscription(url, short)
