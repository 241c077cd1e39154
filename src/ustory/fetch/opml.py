"""Lists of feeds in OPML, as every feed reader reads and writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from xml.etree import ElementTree

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from ustory.core.errors import ConfigError
from ustory.fetch.links import resolve_link
from ustory.fetch.markup import plain_line

_SIZE = 20_000_000
_LONG = 200
_NOT_XML = dict.fromkeys((*range(32), 0xFFFE, 0xFFFF))


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed in a list of feeds."""

    url: str
    title: str = ""


def read_opml(data: bytes, name: str = "this file") -> list[Subscription]:
    """Return the feeds of an OPML document, each once, whatever folders they are in.

    `name` is what messages call the document. Entries that are no feeds, and
    addresses that are not of the web, are left out.
    """
    found: dict[str, Subscription] = {}
    for outline in _root(data, name).iter("outline"):
        attributes = {key.lower(): value for key, value in outline.attrib.items()}
        # A list is read far from any page, so an address must be whole.
        url = resolve_link(attributes.get("xmlurl", ""), "")
        title = attributes.get("title") or attributes.get("text") or ""
        if url is not None and url not in found:
            found[url] = Subscription(url, plain_line(title)[:_LONG])
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


def _root(data: bytes, name: str) -> ElementTree.Element:
    if len(data) > _SIZE:
        raise ConfigError(
            f"a list of feeds may have {_SIZE:,} bytes; {name} has {len(data):,}"
        )
    try:
        root: ElementTree.Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise ConfigError(
            f"{name} must not define entities or a DOCTYPE; take its <!DOCTYPE ...> out"
        ) from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ConfigError(f"{name} is not OPML: {error}") from None
    if root.tag.lower() != "opml":
        raise ConfigError(f"{name} is not OPML: it begins with <{root.tag[:40]}>")
    return root
